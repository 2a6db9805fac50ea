# Joint counts of columns that lie in a database: the engine adds up, R gets one number for each set of columns.

# Row types where they are fewer than the sums that are wanted, else the sums of all products.
cooccurrence_database <- function(data, order, sets, na.rm) {
  data <- dplyr::ungroup(data)
  names <- check_set_names(names(table_columns(data)), "bits")
  d <- length(names)
  order <- check_order(order %||% min(2, d), d)
  more <- if (!is.null(sets)) sets_between(parse_sets(sets, names), order)
  members <- .Call(C_rr_sets, as.double(d), order, 1, set_total(d, order) - 1)
  wanted <- c(member_columns(members), if (!is.null(more)) member_columns(more))
  counted <- if (2^d <= length(wanted) + 2 * d) count_row_types(data, names, wanted, na.rm)
    else sum_products(data, names, wanted, na.rm)
  if (counted$n == 0 && counted$missing == 0) {
    abort(c("{.arg bits} must have rows.", x = "The database table has none: there is nothing to count."), "empty")
  }
  if (counted$missing > 0) {
    cli::cli_inform("{counted$missing} row{?s} with missing values dropped.", class = "candor_message_missing")
    if (counted$n == 0) abort_dropped("All {format_count(counted$missing)} rows have missing values.")
  }
  own <- seq_len(ncol(members))
  new_rr_histogram("cooccurrence", names, order, c(counted$n, counted$sums[own]),
                   more = if (!is.null(more)) list(members = more, values = counted$sums[-own]),
                   missing = counted$missing)
}

# Positions of the columns of each set.
member_columns <- function(members) lapply(seq_len(ncol(members)), function(s) members[members[, s] >= 0L, s] + 1L)

# ---- row types ----

# Rows that are alike are counted together. No more than 3^d of them can be of 0, 1 and NULL; the limit keeps a column
# that holds something else from sending the table.
count_row_types <- function(data, names, wanted, na.rm) {
  alias <- free_names("n", names)
  number <- stats::setNames("COUNT(*)", alias)
  rows <- run_query(data, group_query(data, names, number, limit = 3^length(names) + 1), names)
  times <- as.double(plain_numbers(rows[[alias]]))
  bits <- lapply(rows[names], row_bits)
  known <- Reduce(`&`, lapply(bits, function(bit) !is.na(bit)), rep(TRUE, length(times)))
  if (!na.rm) refuse_null_bits(vapply(bits, function(bit) sum(times[is.na(bit)]), 0), sum(times))
  for (name in names) {
    odd <- which(known & bits[[name]] != 0 & bits[[name]] != 1)
    if (length(odd)) refuse_bit(name, describe(rows[[name]][odd[1]]))
  }
  times <- times[known]
  bits <- lapply(bits, function(bit) bit[known] == 1)
  list(n = sum(times), sums = vapply(wanted, function(at) sum(times[Reduce(`&`, bits[at])]), 0),
       missing = sum(as.double(plain_numbers(rows[[alias]]))) - sum(times))
}

# 0 and 1, and 2 for whatever else a column holds.
row_bits <- function(x) {
  x <- plain_numbers(x)
  if (is.logical(x)) return(as.integer(x))
  if (is.numeric(x) && !is.object(x)) return(ifelse(x == 0 | x == 1, x, 2))
  text <- as.character(x)
  place <- rep(2, length(text))
  place[text %in% c("0", "FALSE")] <- 0
  place[text %in% c("1", "TRUE")] <- 1
  place[is.na(text)] <- NA
  place
}

# ---- sums of products ----

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
  ask <- function(data) {
    if (na.rm) data <- complete_flag(data, rlang::syms(names), flag)
    lapply(batches, function(these) {
      query <- group_query(data, if (na.rm) flag, c(number, stats::setNames(sums[these], all[these])))
      lapply(run_query(data, query, names), function(x) as.double(plain_numbers(x)))
    })
  }
  parts <- tryCatch(ask(data), candor_error_database = function(e) {
    # Some engines do not multiply logical values.
    logical <- tryCatch(logical_columns(data, names), error = function(e) character())
    if (!length(logical)) rlang::cnd_signal(e)
    ask(dplyr::mutate(data, !!!stats::setNames(lapply(rlang::syms(logical), function(bit) {
      rlang::expr(ifelse(!!bit, 1L, 0L))
    }), logical)))
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
  refuse_null_bits(stats::setNames(values[seq_len(d)], names), n)
  odd <- which(values[d + seq_len(d)] > 0)
  if (length(odd)) {
    often <- values[d + odd[1]]
    refuse_bit(names[odd[1]], sprintf("something else in %s of %s rows", format_count(often), format_count(n)))
  }
  list(n = n, sums = unname(values[-seq_len(2 * d)]), missing = sum(numbers) - n)
}

# Rows without a NULL apart from the others, by the same query.
complete_flag <- function(data, bits, alias) {
  gone <- Reduce(function(a, b) rlang::expr(!!a | !!b), lapply(bits, function(bit) rlang::expr(is.na(!!bit))))
  dplyr::mutate(data, !!!stats::setNames(list(rlang::expr(ifelse(!!gone, 0L, 1L))), alias))
}

logical_columns <- function(data, names) {
  types <- empty_rows(data, names)
  names[vapply(types, is.logical, NA)]
}

refuse_null_bits <- function(missing, n) {
  at <- which(missing > 0)
  if (!length(at)) return(invisible())
  abort(c("{.arg bits} must not have missing entries.",
          x = paste("Column {.val {names(missing)[at[1]]}} is NULL in {format_count(missing[[at[1]]])}",
                    "of {format_count(n)} rows."),
          i = "Use {.code na.rm = TRUE} to drop such rows."), "missing")
}

refuse_bit <- function(name, shown) {
  abort(c("{.arg bits} must hold 0 and 1, or FALSE and TRUE, only.", x = "Column {.val {name}} holds {shown}.",
          i = "Choose the columns of the bits with {.fn dplyr::select}."), "level")
}
