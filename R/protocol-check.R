# Reports of known truths, from any client, against the exact distribution of the mechanism.

#' @rdname rr_client
#' @export
rr_check_client <- function(reports, mechanism, truth = NULL, ...) {
  check_dots_empty(...)
  check_mechanism(mechanism)
  if (is.null(truth)) return(check_client_file(check_path(reports, "reports"), mechanism))
  if (!is.null(mechanism$questions)) {
    reports <- question_columns(reports, mechanism, "reports")
    truth <- question_columns(truth, mechanism, "truth")
    rows <- lapply(names(mechanism$questions), function(name) {
      one <- rr_check_client(reports[[name]], mechanism$questions[[name]], truth[[name]])
      tibble::add_column(one, question = name, .before = 1)
    })
    return(do.call(rbind, rows))
  }
  checked_plan(mechanism)
  x <- prepare_answers(mechanism, plain_answers(truth, mechanism))
  check_that(length(x) == report_number(reports), x, "truth", "one answer for each report")
  seen <- sort(unique(x))
  channel <- if (has_categories(mechanism)) rr_matrix(mechanism)
  counts <- matrix(count_reports(mechanism, reports, groups = match(x, seen))$counts, ncol = length(seen))
  rows <- lapply(seq_along(seen), function(i) {
    mine <- x == seen[i]
    test <- client_test(mechanism, counts[, i], seen[i], sum(mine), channel, rr_reports(reports, mechanism), mine)
    p <- stats::pchisq(test$statistic, test$df, lower.tail = FALSE)
    tibble::tibble(truth = mechanism$levels[seen[i]], n = as.double(sum(mine)), statistic = test$statistic,
                   df = test$df, p.value = p, problem = if (p < 0.001 / length(seen)) test$problem else NA_character_)
  })
  do.call(rbind, rows)
}

# The chi-square of the counts of reports of truth x, and what would be wrong if it is too large. `own` is how many
# reports hold the truth, of how many, and with which probability.
client_test <- function(mechanism, counts, x, n, channel, reports, mine) {
  k <- length(mechanism$levels)
  own <- list(counts[x], n, mechanism$p)
  bits <- NULL
  functions <- 2
  if (inherits(mechanism, "rr_bloom")) {
    cells <- matrix(counts, ncol = mechanism$cohorts)
    ones <- cells[-nrow(cells), , drop = FALSE]
    size <- rep(cells[nrow(cells), ], each = nrow(ones))
    set <- vapply(seq_len(ncol(ones)), function(j) seq_len(nrow(ones)) %in% mechanism$places[, x, j], ones[, 1] > 0)
    bits <- list(ones, size, ifelse(set, mechanism$one, mechanism$zero))
    own <- list(sum(ones[set]), sum(size[set]), mechanism$one)
  } else if (draws_bits(mechanism) || !is.null(mechanism$codec$drawn)) {
    size <- if (draws_bits(mechanism)) rep(n, k) else counts[seq_len(k)] + counts[k + seq_len(k)]
    bits <- list(counts[seq_len(k)], size, ifelse(seq_len(k) == x, mechanism$p, mechanism$q))
    own[[2]] <- size[x]
  }
  if (!is.null(bits)) {
    test <- c(do.call(chi_square, bits), length(bits[[1]]))
  } else if (!is.null(channel)) {
    chance <- channel[x, ]
    top <- chance > max(chance) * (1 - 1e-9)
    own <- list(sum(counts[top]), n, sum(chance[top]))
    # Rare reports are one cell.
    cell <- ifelse(chance > 0 & n * chance < 5, 0, seq_along(chance))
    shares <- rowsum(chance, cell)
    test <- c(chi_square(rowsum(counts, cell), n, shares, 1), sum(shares > 0) - 1)
  } else {
    test <- c(do.call(chi_square, own), 1)
    if (inherits(mechanism, "rr_subset")) {
      spread <- sum((counts[-x] - mean(counts[-x]))^2) / (n * (mechanism$q - mechanism$both_other))
      if (k > 2) test <- test + c(spread, k - 2)
    } else {
      # What does not depend on the truth is uniform.
      fields <- reports[mine, setdiff(report_fields(mechanism$codec), c("value", "sign"))]
      functions <- nrow(unique(fields))
      size <- mechanism$prime %||% mechanism$size
      number <- min(10, size)
      share <- diff(ceiling(0:number * size / number)) / size
      for (field in fields) {
        test <- test + c(chi_square(tabulate(floor(field * number / size) + 1, number), n, share, 1), number - 1)
      }
    }
  }
  list(statistic = test[1], df = test[2], problem = client_problem(own, functions, bits))
}

# Of independent counts; with rest = 1 of the cells of one table. What cannot be, but is, makes it infinite.
chi_square <- function(count, size, chance, rest = 1 - chance) {
  parts <- (count - size * chance)^2 / (size * chance * rest)
  sum(parts[count != size * chance])
}

client_problem <- function(own, functions, bits) {
  share <- own[[1]] / own[[2]]
  if (functions == 1) return("All reports have one hash function: each must draw its own.")
  if (share == 1 && own[[3]] < 1 && all(bits[[1]] == 0 | bits[[1]] == bits[[2]])) {
    return("The answers were not randomized: every report holds the truth.")
  }
  place <- seq_along(bits[[1]]) - 1
  turned <- bits[[1]][8 * (place %/% 8) + 8 - place %% 8]
  if (length(place) && !anyNA(turned) && chi_square(turned, bits[[2]], bits[[3]]) < 2 * length(place) + 20) {
    return("The bits of each byte are in the wrong order: the highest comes first, and the lowest should.")
  }
  shares <- format(c(share, own[[3]]), digits = 3)
  sprintf("%s of the reports hold the truth, which should be %s; or the others are not as frequent as they should be.",
          shares[1], shares[2])
}

# A page, a script or a plan holds the numbers as rr_client() writes them.
check_client_file <- function(file, mechanism) {
  text <- paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  forms <- c(text, gsub("\\u003c", "<", text, fixed = TRUE), gsub("\\\\([\\\\\"])", "\\1", text))
  found <- any(grepl(client_text(mechanism), forms, fixed = TRUE))
  problem <- if (found) NA_character_ else "The file does not hold the numbers of this mechanism's sampler."
  tibble::tibble(truth = NA_character_, n = 0, statistic = NA, df = NA, p.value = NA, problem = problem)
}
