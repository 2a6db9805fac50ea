# The pair (p, q) of each binary column: p = P(report 1 | truth 1), q = P(report 1 | truth 0). Every way in which a user
# may describe columns ends here.
column_design <- function(mechanism, columns) {
  design <- if (inherits(mechanism, "rr_mechanism")) mechanism_columns(mechanism, columns)
    else if (is.list(mechanism) && all(c("p", "q") %in% names(mechanism)) &&
             is.numeric(mechanism$p)) number_columns(mechanism, columns)
    else if (is.list(mechanism) && length(mechanism)) list_columns(mechanism, columns)
    else abort(c("{.arg mechanism} must say how each column was randomised.", x = "It is {describe(mechanism)}.",
                 i = "Give one yes/no mechanism for all columns, a list of them, or {.fn rr_product} ...",
                 i = "or the probabilities: {.code list(p = , q = )}."), "argument")
  useless <- which(abs(design$p - design$q) <= 4 * .Machine$double.eps)
  if (length(useless)) {
    same <- format(design$p[useless[1]], digits = 6)
    abort(c("Nothing can be learned from column {.val {columns[useless[1]]}}.",
            x = "Its reports are 1 with probability {same} whatever the truth (p = q)."), "no_information")
  }
  design
}

number_columns <- function(mechanism, columns) {
  names <- names(mechanism)
  odd <- which(!names %in% c("p", "q", "block") | duplicated(names))
  if (length(odd)) {
    shown <- if (nzchar(names[odd[1]])) encodeString(names[odd[1]], quote = "\"") else "an element without a name"
    abort(c("A list of probabilities must hold {.arg p}, {.arg q} and perhaps {.arg block}, each once.",
            x = "Element {odd[1]} is {shown}.", i = "For example {.code list(p = 0.8, q = 0.1)}."), "argument")
  }
  pairs <- lapply(c(p = "p", q = "q"), function(arg) {
    x <- check_probabilities(mechanism[[arg]], arg)
    if (!length(x) %in% c(1L, length(columns))) {
      abort(c("{.arg {arg}} must have one probability per column.",
              x = "It has length {length(x)}, and there are {length(columns)} columns."),
            "argument")
    }
    if (!is.null(names(x)) && length(x) == length(columns)) x <- named_columns(x, arg, columns)
    rep_len(unname(x), length(columns))
  })
  list(p = pairs$p, q = pairs$q, block = column_blocks(mechanism$block, columns))
}

# Names say to which column a probability belongs, whatever the order.
named_columns <- function(x, arg, columns) {
  if (!setequal(names(x), columns)) {
    odd <- c(setdiff(names(x), columns), setdiff(columns, names(x)))[1]
    abort(c("The names of {.arg {arg}} must be the columns.", x = "{.val {odd}} is in one but not in the other.",
            i = "The columns are {format_labels(columns)}."), "mismatch")
  }
  x[columns]
}

# -1 for columns that stand alone.
column_blocks <- function(block, columns) {
  if (is.null(block) || all(is.na(block))) return(NULL)
  if (!is.atomic(block) || length(block) != length(columns)) {
    abort(c("{.arg block} must have one label per column, or NA.",
            x = "It is {describe(block)}; there are {length(columns)} columns."), "argument")
  }
  if (!is.null(names(block))) block <- unname(named_columns(block, "block", columns))
  codes <- match(block, unique(block[!is.na(block)]))
  ifelse(is.na(codes), -1L, codes)
}

mechanism_columns <- function(mechanism, columns) {
  if (inherits(mechanism, "rr_product")) return(list_columns(mechanism$questions, columns))
  part <- support_columns(mechanism)
  if (part$width == 1L) return(list(p = rep(part$p, length(columns)), q = rep(part$q, length(columns)), block = NULL))
  list_columns(list(mechanism), columns)
}

# One mechanism per question. A yes/no question takes one column; a question of several categories one column each.
list_columns <- function(parts, columns) {
  bad <- which(!vapply(parts, inherits, NA, what = "rr_mechanism"))
  if (length(bad)) {
    abort(c("{.arg mechanism} must be a list of mechanisms.", x = "Element {bad[1]} is {describe(parts[[bad[1]]])}."),
          "argument")
  }
  supports <- lapply(parts, support_columns)
  width <- vapply(supports, `[[`, 1L, "width")
  if (!is.null(names(parts)) && all(width == 1L) && !setequal(names(parts), columns)) {
    odd <- c(setdiff(names(parts), columns), setdiff(columns, names(parts)))[1]
    abort(c("{.arg mechanism} must name the columns.", x = "{.val {odd}} is in one but not in the other.",
            i = "The columns are {format_labels(columns)}."), "mismatch")
  }
  if (sum(width) != length(columns)) {
    abort(c("{.arg mechanism} must describe every column.",
            x = "It describes {sum(width)}, and there are {length(columns)}.",
            i = if (any(width > 1L)) "A question of k categories takes k columns, one per category."),
          "mismatch")
  }
  places <- part_columns(parts, width, columns)
  at <- unlist(places)
  each <- function(values) {
    values <- rep(unname(values), width)
    values[at] <- values
    values
  }
  flag <- function(field) vapply(supports, function(part) isTRUE(part[[field]]), NA)
  block <- if (any(flag("rivals"))) as.integer(each(ifelse(flag("rivals"), seq_along(supports), -1L)))
  named <- which(nzchar(names(parts) %||% character(length(parts))))
  questions <- stats::setNames(lapply(named, function(i) {
    levels <- parts[[i]]$levels
    list(at = places[[i]], levels = if (width[i] == 1L) levels[bit_places(levels)] else levels)
  }), names(parts)[named])
  list(p = each(vapply(supports, `[[`, 0, "p")), q = each(vapply(supports, `[[`, 0, "q")), block = block,
       direct = which(flag("direct")), questions = questions)
}

# Which columns each mechanism describes. Names decide: a yes/no mechanism describes the column that has its name; one
# of several categories describes the columns named like its categories, alone or after the name of the question.
# Unnamed mechanisms are matched by position, unless a name contradicts it.
part_columns <- function(parts, width, columns) {
  names <- names(parts) %||% rep("", length(parts))
  found <- vector("list", length(parts))
  free <- function() setdiff(seq_along(columns), unlist(found))
  claim <- function(labels) {
    for (i in which(lengths(found) == 0L)) {
      for (these in labels(i)) {
        at <- match(these, columns, incomparables = "")
        if (!length(found[[i]]) && !anyNA(at) && all(at %in% free())) found[[i]] <<- at
      }
    }
  }
  claim(function(i) if (width[i] == 1L) list(names[i]) else lapply(c(":", ".", "_"), function(between) {
    paste0(names[i], between, parts[[i]]$levels)
  }))
  claim(function(i) if (width[i] > 1L) list(parts[[i]]$levels))
  rest <- which(lengths(found) == 0L)
  left <- free()
  named <- any(lengths(found)) || !identical(columns, paste0("x", seq_along(columns)))
  for (i in rest) {
    found[[i]] <- utils::head(left, width[i])
    left <- utils::tail(left, -width[i])
    check_part(i, parts, names, columns[found[[i]]], named, rest)
  }
  found
}

# Does a name contradict the order? `given` are the columns that mechanism i takes by it.
check_part <- function(i, parts, names, given, named, rest) {
  # Names that were made different by numbers are still those of their categories.
  plain <- sub("[.][0-9]+$", "", given)
  own <- parts[[i]]$levels
  wrong <- if (length(given) == 1L) named && nzchar(names[i])
    else if (any(plain %in% own)) plain != own & given != own
    else rep(FALSE, length(given))
  others <- c(names[setdiff(rest, i)], unlist(lapply(parts[setdiff(rest, i)], function(part) {
    if (support_columns(part)$width > 1L) part$levels
  })))
  wrong <- wrong | given %in% setdiff(others, c("", own))
  if (!any(wrong)) return(invisible())
  column <- given[wrong][1]
  who <- if (nzchar(names[i])) encodeString(names[i], quote = "\"") else format_count(i)
  wanted <- if (length(given) > 1L) paste0(", for category ", encodeString(own[wrong][1], quote = "\""))
  abort(c("The names of the mechanisms and of the columns must agree.",
          x = "By its place, column {.val {column}} would be of mechanism {who}{wanted}; the names say otherwise.",
          i = paste("A yes/no mechanism is named like its column; the columns of a question are named like its",
                    "categories, or {.val question:category}.")), "mismatch")
}

# The evidence columns of one question in the pure protocols of Wang et al. (2017): column i is 1 where the report
# supports category i, with probability p if that is the truth and q otherwise. `rivals` says that the columns are
# not independent given the truth, so that sets may hold at most one of them; `direct` that a report supports exactly
# one category. NULL for a mechanism that has no such columns.
evidence_columns <- function(mechanism) UseMethod("evidence_columns")

support_columns <- function(mechanism) {
  part <- evidence_columns(mechanism)
  if (!is.null(part)) return(part)
  blocks <- inherits(mechanism, "rr_hadamard")
  abort(c("Joint counts of columns do not fit this mechanism ({mechanism$design}).",
          x = if (blocks) "A category of the truth's block is supported more often than one of another block."
            else paste("Its columns have no known joint probabilities: the probability of a report depends on the",
                       "truth in more ways than \"same or not\"."),
          i = "Count scores of the reports, {.code rr_cooccurrence(reports, mechanism = )},",
          i = "or estimate the joint distribution with {.fn rr_estimate} and {.fn rr_product}.",
          i = if (blocks) "Or collect with {.code blocks = 1}, whose columns are known."), c("law", "argument"))
}

#' @export
evidence_columns.rr_mechanism <- function(mechanism) {
  law <- rr_law(mechanism)
  if (inherits(law, "rr_law_support") && length(law$p) == 1L && length(law$q) == 1L) {
    return(list(p = law$p, q = law$q, width = length(mechanism$levels), rivals = !is.null(law$both_own)))
  }
  if (length(mechanism$levels) == 2L && length(mechanism$reports) == 2L) {
    matrix <- rr_matrix(mechanism)
    # Labels that are bits decide what is counted as 1.
    matrix <- matrix[bit_places(mechanism$levels), bit_places(mechanism$reports)]
    return(list(p = unname(matrix[2, 2]), q = unname(matrix[1, 2]), width = 1L, rivals = FALSE))
  }
}

#' @export
evidence_columns.rr_binary <- function(mechanism) {
  if (mechanism$bits[["yes"]] == 1L) return(list(p = mechanism$q_no, q = mechanism$p_no, width = 1L, rivals = FALSE))
  list(p = mechanism$p, q = mechanism$q, width = 1L, rivals = FALSE)
}

#' @export
evidence_columns.rr_grr <- function(mechanism) {
  k <- length(mechanism$levels)
  list(p = mechanism$p, q = mechanism$q, width = if (k == 2L) 1L else k, rivals = k > 2L, direct = k > 2L)
}

# GRR after GRR is GRR.
#' @export
evidence_columns.rr_compose <- function(mechanism) {
  k <- length(mechanism$levels)
  if (k == 2L || is.null(mechanism$p) || !inherits(mechanism$form, "rr_law_additive")) return(NextMethod())
  list(p = mechanism$p, q = mechanism$q, width = k, rivals = TRUE, direct = TRUE)
}

#' @export
evidence_columns.rr_noncompliance <- evidence_columns.rr_compose

# Which questions can be counted in columns of 0 and 1?
counted_in_bits <- function(questions) !vapply(lapply(questions, evidence_columns), is.null, NA)

# Is a question one column: yes or not?
is_yes_no <- function(mechanism) identical(evidence_columns(mechanism)$width, 1L)

# The two labels of each column, first the one that is counted as 0: those of the table that was counted, or of the
# mechanisms.
column_levels <- function(fit) {
  levels <- fit$counts$levels %||% fit$levels
  mechanism <- fit$mechanism
  single <- inherits(mechanism, "rr_mechanism") && !inherits(mechanism, "rr_product")
  if (is.null(levels) && single) levels <- rep(list(mechanism$levels), length(fit$columns))
  if (is.null(levels)) {
    parts <- if (inherits(mechanism, "rr_product")) mechanism$questions
      else if (inherits(mechanism[[1]], "rr_mechanism")) mechanism
    if (!is.null(names(parts)) && setequal(names(parts), fit$columns)) parts <- parts[fit$columns]
    levels <- lapply(parts, `[[`, "levels")
  }
  levels <- lapply(levels, function(labels) if (length(labels) == 2L) labels[bit_places(labels)] else labels)
  labelled <- length(levels) == length(fit$columns) && all(lengths(levels) == 2L)
  if (!labelled) levels <- rep(list(c("0", "1")), length(fit$columns))
  stats::setNames(levels, fit$columns)
}

# A direct report supports exactly one category: nobody has two of them, and everybody has one.
check_direct <- function(design, counts) {
  for (question in design$direct) {
    at <- which(design$block == question)
    pairs <- utils::combn(at, 2)
    both <- set_values(counts, pairs - 1L)
    bad <- which(!is.na(both) & both != 0)
    total <- sum(counts$values[1 + at])
    if (!length(bad) && abs(total - counts$n) <= 1e-9 * counts$n) next
    shown <- if (length(bad)) paste(counts$columns[pairs[, bad[1]]], collapse = ":")
    abort(c("The counts are impossible: a direct report supports exactly one category.",
            x = if (length(bad)) "{format_count(both[bad[1]])} of {format_count(counts$n)} rows support {.val {shown}}."
              else paste("The columns {format_labels(counts$columns[at])} have {format_count(total)} reports",
                         "in {format_count(counts$n)} rows."),
            i = "Give each question its columns, 1 where the report is their category; see {.fn rr_tmdh}."),
          "impossible")
  }
}

# Sets that hold two rival categories have no estimate of their own: their true count is 0.
refuse_rivals <- function(x, members) {
  block <- x$design$block
  if (is.null(block)) return(invisible())
  for (s in seq_len(ncol(members))) {
    at <- members[members[, s] >= 0, s] + 1L
    blocks <- block[at][block[at] >= 0]
    if (anyDuplicated(blocks)) {
      abort(c("The columns of one question cannot be estimated jointly here.",
              x = "{.val {paste(x$columns[at], collapse = ':')}} holds two categories of one question.",
              i = "Nobody has both: that count is 0. Use sets with at most one column of each question."),
            "argument")
    }
  }
}
