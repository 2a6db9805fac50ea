# Joint counts of columns that lie in a database: the engine adds up, R gets one number for each set of columns.

cooccurrence_database <- function(data, order, sets, na.rm) {
  data <- dplyr::ungroup(data)
  names <- check_set_names(names(table_columns(data)), "bits")
  d <- length(names)
  order <- check_order(order %||% min(2, d), d)
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  members <- .Call(C_rr_sets, as.double(d), order, 1, set_total(d, order) - 1)
  wanted <- c(member_columns(members), if (!is.null(more)) member_columns(more))
  counted <- sum_products(data, names, wanted, na.rm)
  if (counted$n == 0) abort("{.arg bits} must have rows without missing values: there is nothing to count.", "empty")
  inform_dropped(counted$missing)
  own <- seq_len(ncol(members))
  new_rr_histogram("cooccurrence", names, order, c(counted$n, counted$sums[own]),
                   more = if (!is.null(more)) list(members = more, values = counted$sums[-own]),
                   missing = counted$missing)
}

# Positions of the columns of each set.
member_columns <- function(members) lapply(seq_len(ncol(members)), function(s) members[members[, s] >= 0L, s] + 1L)

# SUM(a), SUM(a * b), ...: the factors are 0 or 1, which the first sums count for every column.
sum_products <- function(data, names, wanted, na.rm) {
  connection <- dbplyr::remote_con(data)
  bits <- quote_names(names, connection)
  sums <- c(sprintf("SUM(CASE WHEN %s IS NULL THEN 1 ELSE 0 END)", bits),
            sprintf("SUM(CASE WHEN %s = 0 OR %s = 1 THEN 0 ELSE 1 END)", bits, bits),
            vapply(wanted, function(at) sprintf("SUM(%s)", paste(bits[at], collapse = " * ")), ""))
  all <- free_names(paste0("sum", seq_along(sums)), names)
  total <- free_names("n", names)
  flag <- free_names("complete", names)
  number <- stats::setNames("COUNT(*)", total)
  batches <- split(seq_along(all), (seq_along(all) - 1L) %/% query_width)
  # Some engines do not multiply logical values.
  types <- empty_rows(data, names)
  logical <- names[vapply(types, is.logical, NA)]
  if (length(logical)) {
    data <- dplyr::mutate(data, !!!stats::setNames(lapply(rlang::syms(logical), function(bit) {
      rlang::expr(ifelse(!!bit, 1L, 0L))
    }), logical))
  }
  if (na.rm) data <- complete_flag(data, rlang::syms(names), flag)
  parts <- lapply(batches, function(these) {
    query <- group_query(data, if (na.rm) flag, c(number, stats::setNames(sums[these], all[these])))
    lapply(run_query(data, query, names), function(x) as.double(plain_numbers(x)))
  })
  numbers <- parts[[1]][[total]]
  if (!all(vapply(parts, function(part) identical(part[[total]], numbers), NA))) {
    abort(c("The database table must not change while it is counted.",
            x = "Its {length(parts)} queries found different numbers of rows."), "database")
  }
  values <- do.call(cbind, lapply(parts, function(part) do.call(cbind, part[intersect(all, names(part))])))
  at <- which((parts[[1]][[flag]] %||% rep(1, length(numbers))) == 1)
  n <- if (length(at)) numbers[at] else 0
  values <- if (length(at) && n > 0) values[at, ] else numeric(length(all))
  d <- length(names)
  gone <- which(values[seq_len(d)] > 0)
  if (length(gone)) {
    abort(c("{.arg bits} must not have missing entries.",
            x = "Column {.val {names[gone[1]]}} is NULL in {format_count(values[gone[1]])} of {format_count(n)} rows.",
            i = "Use {.code na.rm = TRUE} to drop such rows."), "missing")
  }
  odd <- which(values[d + seq_len(d)] > 0)
  if (length(odd)) {
    abort(c("{.arg bits} must hold 0 and 1, or FALSE and TRUE, only.",
            x = "Column {.val {names[odd[1]]}} holds something else in {format_count(values[d + odd[1]])} rows."),
          "level")
  }
  list(n = n, sums = unname(values[-seq_len(2 * d)]), missing = sum(numbers) - n)
}

# Rows without a NULL apart from the others, by the same query.
complete_flag <- function(data, bits, alias) {
  gone <- Reduce(function(a, b) rlang::expr(!!a | !!b), lapply(bits, function(bit) rlang::expr(is.na(!!bit))))
  dplyr::mutate(data, !!!stats::setNames(list(rlang::expr(ifelse(!!gone, 0L, 1L))), alias))
}
