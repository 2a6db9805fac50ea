# The pair (p, q) of each binary column: p = P(report 1 | truth 1), q = P(report 1 | truth 0). Every way in which a user
# may describe columns ends here.
column_design <- function(mechanism, columns) {
  design <- if (inherits(mechanism, "rr_mechanism")) mechanism_columns(mechanism, columns)
    else if (is.list(mechanism) && is.numeric(mechanism$p)) number_columns(mechanism, columns)
    else if (is.list(mechanism) && length(mechanism) && all(vapply(mechanism, inherits, NA, "rr_mechanism"))) {
      list_columns(mechanism, columns)
    } else {
      abort(c("{.arg mechanism} must say how each column was randomized.", x = "It is {describe(mechanism)}.",
              i = "Give one yes/no mechanism for all columns, a list of them, {.fn rr_product} ...",
              i = "or the probabilities: {.code list(p = , q = )}."), "argument")
    }
  useless <- which(abs(design$p - design$q) <= 4 * .Machine$double.eps)
  if (length(useless)) {
    abort(c("Nothing can be learned from column {.val {columns[useless[1]]}}.",
            x = "Its reports are 1 with probability {format(design$p[useless[1]])} whatever the truth (p = q)."),
          "no_information")
  }
  design
}

number_columns <- function(mechanism, columns) {
  if (!all(names(mechanism) %in% c("p", "q", "block")) || anyDuplicated(names(mechanism))) {
    abort(c("A list of probabilities must hold {.arg p}, {.arg q} and perhaps {.arg block}, each once.",
            x = "It holds {format_labels(names(mechanism))}."), "argument")
  }
  # Names say to which column a value belongs, whatever the order.
  place <- function(x, arg) {
    named <- !is.null(names(x)) && length(x) == length(columns)
    if ((named && !setequal(names(x), columns)) || !length(x) %in% c(1L, length(columns))) {
      abort(c("{.arg {arg}} must have one value for each column, named by the columns if it has names.",
              x = "The columns are {format_labels(columns)}."), if (named) "mismatch" else "argument")
    }
    rep_len(unname(if (named) x[columns] else x), length(columns))
  }
  block <- mechanism$block
  if (!is.null(block)) {
    if (length(block) != length(columns)) abort("{.arg block} must have one label per column, or NA.", "argument")
    block <- place(block, "block")
    codes <- match(block, unique(block[!is.na(block)]))
    # -1 for columns that stand alone.
    block <- if (!all(is.na(codes))) ifelse(is.na(codes), -1L, codes)
  }
  list(p = place(check_probabilities(mechanism$p, "p"), "p"), q = place(check_probabilities(mechanism$q, "q"), "q"),
       block = block)
}

mechanism_columns <- function(mechanism, columns) {
  if (inherits(mechanism, "rr_product")) return(list_columns(mechanism$questions, columns))
  part <- support_columns(mechanism)
  if (part$width == 1L) return(list(p = rep(part$p, length(columns)), q = rep(part$q, length(columns)), block = NULL))
  list_columns(list(mechanism), columns)
}

# One mechanism per question. A yes/no question takes one column; a question of several categories one column each.
list_columns <- function(parts, columns) {
  supports <- lapply(parts, support_columns)
  width <- vapply(supports, `[[`, 1L, "width")
  if (sum(width) != length(columns)) {
    abort(c("{.arg mechanism} must describe every column.",
            x = "It describes {sum(width)}, and there are {length(columns)}.",
            i = if (any(width > 1L)) "A question of k categories takes k columns, one per category."), "mismatch")
  }
  places <- part_columns(parts, width, columns)
  each <- function(values) {
    values <- rep(unname(values), width)
    values[unlist(places)] <- values
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

# Which columns each mechanism describes: those that have its name (of several categories: the names of the categories,
# alone or after the name of the question). Where these do not name every column, mechanisms take the columns in order,
# unless a name contradicts that.
part_columns <- function(parts, width, columns) {
  names <- names(parts) %||% rep("", length(parts))
  found <- lapply(seq_along(parts), function(i) {
    forms <- if (width[i] == 1L) list(names[i])
      else lapply(c(paste0(names[i], c(":", ".", "_")), ""), paste0, parts[[i]]$levels)
    at <- lapply(forms, match, columns, incomparables = "")
    c(Filter(function(at) !anyNA(at), at), list(NA))[[1]]
  })
  if (!anyNA(unlist(found)) && !anyDuplicated(unlist(found))) return(found)
  # Names that were made different by numbers are still those of their categories.
  given <- sub("[.][0-9]+$", "", columns)
  own <- unlist(Map(function(part, name, k) if (k == 1L) name else part$levels, parts, names, width))
  named <- rep(nzchar(names), width) & !identical(columns, paste0("x", seq_along(columns)))
  wrong <- which(given != own & (named | given %in% setdiff(own, "")))
  if (length(wrong)) {
    abort(c("The names of the mechanisms and of the columns must agree.",
            x = "By its place, column {.val {columns[wrong[1]]}} would be {.val {own[wrong[1]]}}.",
            i = paste("A yes/no mechanism is named like its column; the columns of a question are named like its",
                      "categories, or {.val question:category}.")), "mismatch")
  }
  Map(seq, cumsum(width) - width + 1L, cumsum(width))
}

# The evidence columns of one question in the pure protocols of Wang et al. (2017): column i is 1 where the report
# supports category i, with probability p if that is the truth and q otherwise. `rivals` says that the columns are
# not independent given the truth, so that sets may hold at most one of them; `direct` that a report supports exactly
# one category. NULL for a mechanism that has no such columns.
evidence_columns <- function(mechanism) {
  k <- length(mechanism$levels)
  if (inherits(mechanism, "rr_hadamard") && !mechanism$one_bit) {
    # Several blocks have two probabilities of supporting another category: that of their own block, and of the others.
    return(if (mechanism$blocks == 1) list(p = stats::plogis(mechanism$epsilon), q = 1 / 2, width = k, rivals = TRUE))
  }
  law <- rr_law(mechanism)
  if (inherits(law, "rr_law_support") && length(law$p) == 1L && length(law$q) == 1L) {
    return(list(p = law$p, q = law$q, width = k, rivals = !is.null(law$both_own)))
  }
  # GRR after GRR is GRR.
  if (k > 2L && inherits(mechanism, c("rr_grr", "rr_compose", "rr_noncompliance")) &&
      inherits(law, "rr_law_additive") && !is.null(mechanism$p)) {
    return(list(p = mechanism$p, q = mechanism$q, width = k, rivals = TRUE, direct = TRUE))
  }
  if (k == 2L && length(mechanism$reports) == 2L) {
    # Labels that are bits decide what is counted as 1.
    matrix <- unname(rr_matrix(mechanism))[bit_places(mechanism$levels), bit_places(mechanism$reports)]
    list(p = matrix[2, 2], q = matrix[1, 2], width = 1L, rivals = FALSE)
  }
}

support_columns <- function(mechanism) {
  evidence_columns(mechanism) %||% abort(c(
    "Joint counts of columns do not fit this mechanism ({mechanism$design}).",
    x = "The probability of a report depends on the truth in more ways than \"same or not\".",
    i = "Count scores of the reports: {.code rr_cooccurrence(reports, mechanism = )}."
  ), c("law", "argument"))
}

# Which questions can be counted in columns of 0 and 1?
counted_in_bits <- function(questions) !vapply(questions, function(m) is.null(evidence_columns(m)), NA)

# Is a question one column: yes or not?
is_yes_no <- function(mechanism) identical(evidence_columns(mechanism)$width, 1L)

# The two labels of each column, first the one that is counted as 0: those of the table that was counted, or of the
# mechanisms.
column_levels <- function(fit) {
  mechanism <- fit$mechanism
  levels <- fit$counts$levels %||% fit$levels
  if (is.null(levels)) {
    parts <- if (inherits(mechanism, "rr_product")) mechanism$questions
      else if (inherits(mechanism, "rr_mechanism")) rep(list(mechanism), length(fit$columns))
      else if (inherits(mechanism[[1]], "rr_mechanism")) mechanism
    if (!is.null(names(parts)) && setequal(names(parts), fit$columns)) parts <- parts[fit$columns]
    levels <- lapply(parts, function(part) if (length(part$levels) == 2L) part$levels[bit_places(part$levels)])
  }
  if (length(levels) != length(fit$columns) || any(lengths(levels) != 2L)) {
    levels <- rep(list(c("0", "1")), length(fit$columns))
  }
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
    abort(c("The counts are impossible: a direct report supports exactly one category.",
            x = "There are {format_count(total)} reports of {format_labels(counts$columns[at])},
                 and {format_count(counts$n)} rows.",
            i = "Give each question its columns, 1 where the report is their category; see {.fn rr_tmdh}."),
          "impossible")
  }
}

# Sets that hold two rival categories have no estimate of their own: their true count is 0.
refuse_rivals <- function(x, members) {
  bad <- if (!is.null(x$design$block)) which(has_rivals(members, x$design$block))
  if (!length(bad)) return(invisible())
  abort(c("The columns of one question cannot be estimated jointly: nobody has two of its categories.",
          x = "{.val {member_labels(members[, bad[1], drop = FALSE], x$columns)}} holds two."), "argument")
}
