# The pair (p, q) of each binary column, a list with p = P(report 1 | truth 1) and q = P(report 1 |
# truth 0). All descriptions of columns that users can give end here.
column_design <- function(mechanism, columns) {
  mechanisms <- is.list(mechanism) && length(mechanism) &&
    all(vapply(mechanism, inherits, NA, "rr_mechanism"))
  one <- inherits(mechanism, "rr_mechanism")
  design <- if (one && !is.null(mechanism$questions)) {
    list_columns(mechanism$questions, columns)
  } else if (one) {
    alone <- support_columns(mechanism)$width == 1L
    list_columns(rep(list(mechanism), if (alone) length(columns) else 1L), columns)
  } else if (is.list(mechanism) && is.numeric(mechanism$p)) {
    number_columns(mechanism, columns)
  } else if (mechanisms) {
    list_columns(mechanism, columns)
  } else {
    must_be(
      mechanism, "mechanism", "a mechanism, a list of mechanisms, or {.code list(p = , q = )}"
    )
  }
  useless <- columns[abs(design$p - design$q) <= 4 * .Machine$double.eps]
  if (length(useless)) {
    abort("Nothing can be learned from column {.val {useless[1]}}: p = q.", "no_information")
  }
  design
}

number_columns <- function(mechanism, columns) {
  is_valid <- all(names(mechanism) %in% c("p", "q", "block")) &&
    !anyDuplicated(names(mechanism))
  if (!is_valid || !length(mechanism$block) %in% c(0L, length(columns))) {
    abort(
      paste(
        "A list of probabilities must hold {.arg p}, {.arg q} and perhaps one {.arg block} per",
        "column."
      )
    )
  }
  # Names say to which column a value belongs, whatever the order.
  column_values <- function(arg, x = mechanism[[arg]]) {
    named <- !is.null(names(x)) && length(x) == length(columns)
    if ((named && !setequal(names(x), columns)) ||
        !length(x) %in% c(1L, length(columns))) {
      abort(
        "{.arg {arg}} must have one value for each column, named by the columns if it has names.",
        if (named) "mismatch" else "argument"
      )
    }
    rep_len(unname(if (named) x[columns] else x), length(columns))
  }
  block <- if (!is.null(mechanism$block)) {
    labels <- column_values("block")
    codes <- match(labels, unique(labels[!is.na(labels)]))
    # -1 for columns that stand alone.
    if (!all(is.na(codes))) ifelse(is.na(codes), -1L, codes)
  }
  list(
    p = column_values("p", check_probabilities(mechanism$p, "p")),
    q = column_values("q", check_probabilities(mechanism$q, "q")),
    block = block
  )
}

# The design of columns from a mechanism for each question. A yes/no question takes one column; a
# question of several categories takes one column for each.
list_columns <- function(mechanisms, columns, supports = lapply(mechanisms, support_columns)) {
  refuse_validated(mechanisms, "Joint counts")
  width <- vapply(supports, `[[`, 1L, "width")
  if (sum(width) != length(columns)) {
    abort("{.arg mechanism} must describe {length(columns)} columns, not {sum(width)}.", "mismatch")
  }
  index <- mechanism_columns(mechanisms, width, columns)
  each <- function(values) rep(unname(values), width)[order(unlist(index))]
  flag <- function(field) {
    vapply(supports, function(support) isTRUE(support[[field]]), NA)
  }
  block <- if (any(flag("rivals"))) {
    as.integer(each(ifelse(flag("rivals"), seq_along(supports), -1L)))
  }
  # The two labels of a yes/no question, first the one that is counted as 0.
  levels <- Map(
    function(mechanism, k) if (k == 1L) mechanism$levels[no_yes_index(mechanism$levels)],
    mechanisms, width
  )
  list(
    p = each(vapply(supports, `[[`, 0, "p")),
    q = each(vapply(supports, `[[`, 0, "q")),
    block = block,
    both_own = each(vapply(supports, function(support) support$both_own %||% NA_real_, 0)),
    both_other = each(vapply(supports, function(support) support$both_other %||% NA_real_, 0)),
    direct = which(flag("direct")),
    questions = wide_questions(mechanisms, width, index),
    levels = each(levels)
  )
}

# The questions of several columns, by their names.
wide_questions <- function(mechanisms, width, index) {
  named <- which(nzchar(names(mechanisms) %||% character(length(mechanisms))) & width > 1L)
  questions <- lapply(named, function(i) {
    list(index = index[[i]], levels = mechanisms[[i]]$levels)
  })
  setNames(questions, names(mechanisms)[named])
}

# The positions of the columns that each mechanism describes: those that have its name. A question
# of several categories has the names of the categories, alone or after its own name. If these do
# not name every column, mechanisms take the columns in order, unless a name contradicts that.
mechanism_columns <- function(mechanisms, width, columns) {
  names <- names(mechanisms) %||% rep("", length(mechanisms))
  index <- lapply(seq_along(mechanisms), function(i) {
    forms <- if (width[i] == 1L) {
      list(names[i])
    } else {
      lapply(
        c(paste0(names[i], c(":", ".", "_")), ""), paste0,
        mechanisms[[i]]$levels
      )
    }
    position <- lapply(forms, match, columns, incomparables = "")
    c(Filter(function(position) !anyNA(position), position), list(NA))[[
      1
    ]]
  })
  if (!anyNA(unlist(index)) && !anyDuplicated(unlist(index))) return(index)
  # Names that were made different by numbers are still those of their categories.
  labels <- sub("[.][0-9]+$", "", columns)
  expected <- unlist(
    Map(
      function(mechanism, name, k) if (k == 1L) name else mechanism$levels, mechanisms, names,
      width
    )
  )
  named <- rep(nzchar(names), width) &
    !identical(columns, paste0("x", seq_along(columns)))
  wrong <- which(labels != expected & (named | labels %in% setdiff(expected, "")))
  if (length(wrong)) {
    abort(
      c(
        "The names of the mechanisms and of the columns must agree.",
        x = "By its place, column {.val {columns[wrong[1]]}} would be {.val {expected[wrong[1]]}}."
      ),
      "mismatch"
    )
  }
  Map(seq, cumsum(width) - width + 1L, cumsum(width))
}

# The evidence columns of one question in the pure protocols of Wang et al. (2017), a list; NULL if
# a mechanism has no such columns. Column i is 1 if the report supports category i, with probability
# p if that is the truth and q otherwise. `rivals` is TRUE if the columns are not independent given
# the truth: sets may then hold at most one of them. `direct` is TRUE if a report supports exactly
# one category. `both_own` and `both_other` are the probabilities that it supports two, of which one
# or none is the truth; NULL if they are not known or not alike.
evidence_columns <- function(mechanism) {
  k <- length(mechanism$levels)
  law <- rr_law(mechanism)
  alike <- law$binomial
  direct <- law_gives(law, "additive")
  if (law_gives(law, "exact") && length(alike$a) == 1L &&
      length(alike$b) == 1L && (k > 2L || !direct)) {
    return(list(
      p = law[["p"]] %||% (alike$a + alike$b),
      q = alike$b,
      width = k,
      direct = direct,
      rivals = direct || !law_gives(law, "support") || !is.null(law$both_own),
      both_own = if (direct) 0 else pair_number(law$both_own),
      both_other = if (direct) 0 else pair_number(law$both_other)
    ))
  }
  if (k == 2L && length(mechanism$reports) == 2L) {
    # Labels that are bits decide what is counted as 1.
    matrix <- unname(rr_matrix(mechanism))[
      no_yes_index(mechanism$levels), no_yes_index(mechanism$reports)
    ]
    list(
      p = matrix[2, 2],
      q = matrix[1, 2],
      width = 1L,
      rivals = FALSE
    )
  }
}

# A probability that all pairs of categories share, else NULL.
pair_number <- function(prob) if (length(prob) == 1L) as.vector(prob)

support_columns <- function(mechanism) {
  evidence_columns(mechanism) %||% abort(
    "Count these reports in scores: {.code rr_cooccurrence(reports, mechanism = )}.",
    c("law", "argument")
  )
}

# Is a question one column: yes or not?
is_yes_no <- function(mechanism) identical(evidence_columns(mechanism)$width, 1L)

# The two labels of each column, first the one that is counted as 0, from the table that was
# counted, or from the mechanisms.
column_levels <- function(fit) {
  levels <- fit$counts$levels %||% fit$levels %||% fit$design$levels
  setNames(
    lapply(seq_along(fit$columns), function(j) {
      levels[[j]] %||% c("0", "1")
    }),
    fit$columns
  )
}

# An error if counts are impossible. A direct report supports exactly one category: nobody has two
# of them, and everybody has one.
check_direct <- function(design, counts) {
  for (question in design$direct) {
    index <- which(design$block == question)
    pairs <- set_values(counts, combn(index, 2) - 1L)
    if (any(pairs != 0, na.rm = TRUE) ||
        abs(sum(counts$values[1 + index]) - counts$n) > 1e-9 * counts$n) {
      abort(
        "The counts are impossible: a direct report supports exactly one category.", "impossible"
      )
    }
  }
}

# An error if sets hold two rival categories: their true count is 0 and has no estimate.
refuse_rivals <- function(x, members) {
  bad <- if (!is.null(x$design$block)) {
    which(has_rivals(members, x$design$block))
  }
  if (!length(bad)) return(invisible())
  set <- member_labels(members[, bad[1], drop = FALSE], x$columns)
  abort("Nobody has two categories of one question: {.val {set}} cannot be estimated.")
}

# ---- questions ----

# The questions of a product, or the argument itself if it is none.
product_questions <- function(mechanism) {
  if (inherits(mechanism, "rr_mechanism")) mechanism$questions %||% mechanism else mechanism
}

# The reports of several questions are columns of 0 and 1, whatever the protocol is. There is one
# column for a yes/no question, else one for each category, 1 if the report supports it. rr_tmdh()
# finds them by their names.

# list(reports, questions, missing): the first two by question, and the number of rows that were
# dropped.
read_questions <- function(x, mechanism, na.rm) {
  questions <- check_question_names(product_questions(mechanism))
  if (inherits(x, "tbl_lazy")) {
    abort("{.arg mechanism} is for reports in memory, not in a database.")
  }
  if (is.matrix(x)) x <- as.data.frame(x)
  reports <- question_reports(x, questions, "bits")
  is_missing <- Reduce(`|`, lapply(reports, absent_reports))
  if (any(is_missing) && !na.rm) {
    abort(
      "{.arg bits} must not have missing entries: row {which(is_missing)[1]} has one.", "missing"
    )
  }
  if (any(is_missing)) {
    reports <- lapply(reports, function(one) take_reports(one, !is_missing))
  }
  list(reports = reports, questions = questions, missing = as.double(sum(is_missing)))
}

check_question_names <- function(questions) {
  named <- is.list(questions) && !inherits(questions, "rr_mechanism") && length(questions) &&
    !is.null(names(questions))
  if (!named || !all(nzchar(names(questions))) || anyDuplicated(names(questions))) {
    abort(
      "{.arg mechanism} must be a {.fn rr_product}, or a list of mechanisms named by the questions."
    )
  }
  questions
}

absent_reports <- function(x) {
  if (is.data.frame(x)) return(Reduce(`|`, lapply(x, is.na)))
  if (is.list(x)) {
    vapply(x, function(one) is.null(one) || anyNA(one), NA)
  } else {
    is.na(x)
  }
}

take_reports <- function(x, keep) {
  if (is.data.frame(x)) x[keep, , drop = FALSE] else x[keep]
}

# The columns of questions, list(names, categories): the categories that have a column are the yes
# of a yes/no question, else all.
counted_columns <- function(questions) {
  categories <- lapply(questions, function(m) {
    if (is_yes_no(m)) no_yes_index(m$levels)[["yes"]] else seq_along(m$levels)
  })
  names <- Map(
    function(m, name) {
      if (is_yes_no(m)) name else paste(name, m$levels, sep = ":")
    },
    questions, names(questions)
  )
  list(names = unlist(names, use.names = FALSE), categories = categories)
}

support_bits <- function(x, mechanism, name, categories) {
  support <- support_columns(mechanism)
  # A score is (bit - q) / (p - q).
  bits <- round(
    support$q + (support$p - support$q) *
      score_reader(mechanism, name)(x)[, categories, drop = FALSE]
  )
  lapply(seq_along(categories), function(j) as.integer(bits[, j]))
}

# ---- the margins of questions ----

# A question, or a column, as a linear map from 1 and its columns' shares to the shares of its
# categories. Shares of several categories must add up to 1: the difference is divided equally among
# them, which keeps them unbiased. `raw` is the map without that.
margin_question <- function(fit, name) {
  index <- match(name, fit$columns)
  if (!is.na(index)) {
    map <- matrix(c(1, 0, -1, 1), 2)
    return(list(
      index = index,
      levels = column_levels(fit)[[index]],
      map = map,
      raw = map
    ))
  }
  question <- fit$design$questions[[name]]
  k <- length(question$index)
  list(
    index = question$index,
    levels = question$levels,
    map = cbind(1 / k, diag(k) - 1 / k),
    raw = cbind(0, diag(k))
  )
}

# The moments of the reports of two questions; NULL if pairs of columns were not tallied.
margin_supports <- function(fit, questions) {
  counts <- fit$counts
  block <- function(a, b) {
    if (!is.null(counts$scores)) {
      position <- function(index) score_index(counts, matrix(as.integer(index - 1), 1))
      return(
        counts$scores$second[position(a), position(b), drop = FALSE] / fit$n
      )
    }
    members <- sorted_members(
      rbind(
        rep(a, length(b)), rep(b, each = length(a))
      ) - 1L
    )
    matrix(set_values(counts, members) / fit$n, length(a))
  }
  d <- fit$design$p - fit$design$q
  list(
    questions = lapply(questions, function(question) {
      k <- length(question$index)
      differences <- if (k == 1L) {
        matrix(1)
      } else {
        diag(k)[, -1, drop = FALSE] - diag(k)[, 1]
      }
      list(
        first = counts$values[1 + question$index] / fit$n,
        second = block(question$index, question$index),
        contrasts = d[question$index] * differences
      )
    }),
    between = block(questions[[1]]$index, questions[[2]]$index)
  )
}
