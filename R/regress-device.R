# A regression needs from a mechanism the two probabilities of "yes", with their complements and their difference in all
# digits.

regress_device <- function(mechanism, arg = "mechanism") {
  check_mechanism(mechanism, arg)
  if (length(mechanism$levels) != 2L || length(mechanism$reports) != 2L) {
    abort(c("{.arg {arg}} must be that of a yes/no question.",
            x = "It has {length(mechanism$levels)} categories and {length(mechanism$reports)} reports.",
            i = if (length(mechanism$questions) > 1L)
              paste("A model of one question given another is that of {.fn rr_predictor};",
                    "for one question alone give its own mechanism.")
            else "For more categories use {.fn rr_multinom}."), "argument")
  }
  law <- rr_law(mechanism)
  if (!law_gives(law, "channel", 2)) refuse_law(law, "channel", sprintf("The model of {.arg %s}", arg))
  matrix <- unname(rr_matrix(mechanism))
  p <- matrix[2, 2]
  q <- matrix[1, 2]
  # Of the two differences, the one between the smaller numbers has lost fewer digits.
  difference <- mechanism$p_minus_q %||% (if (p + q < 1) p - q else matrix[1, 1] - matrix[2, 1])
  if (abs(difference) < 1e-14) {
    abort(c("Nothing can be learned from reports of {.arg {arg}}.",
            x = paste("They are {.val {mechanism$reports[2]}} with probability {format(q, digits = 6)}",
                      "whatever the truth (p = q).")),
          c("no_information", "argument"))
  }
  c(p = p, q = q, p_no = matrix[2, 1], q_no = matrix[1, 1], d = difference)
}

# One mechanism, or a named list of them and the name of the one of each row.
regress_devices <- function(mechanism, arm, n) {
  if (inherits(mechanism, "rr_mechanism")) {
    if (!is.null(arm)) {
      abort(c("{.arg arm} names mechanisms of a list, and {.arg mechanism} is one mechanism.",
              i = "Give {.code mechanism = list(name = ..., name = ...)}, with a name for each value of {.arg arm}."),
            "argument")
    }
    mechanism <- list(mechanism)
    index <- NULL
  } else {
    check_mechanism_list(mechanism)
    index <- match_arms(arm, names(mechanism), n)
  }
  labels <- truth_labels(mechanism[[1]])
  for (k in seq_along(mechanism)[-1]) {
    if (!identical(truth_labels(mechanism[[k]]), labels)) {
      abort(c("The mechanisms must have the same two labels.",
              x = paste("{.val {names(mechanism)[k]}} has {format_labels(truth_labels(mechanism[[k]]))},",
                        "the first {format_labels(labels)}.")),
            "mismatch")
    }
  }
  unknown <- vapply(mechanism, has_unknown, NA)
  device <- vapply(seq_along(mechanism), function(k) {
    if (unknown[k]) return(numeric(5))
    regress_device(mechanism[[k]], if (is.null(index)) "mechanism" else paste0("mechanism$", names(mechanism)[k]))
  }, numeric(5))
  list(mechanisms = mechanism, arm = index, labels = labels,
       unknown = if (any(unknown)) unknown_devices(mechanism, device),
       parameter = if (any(unknown)) unknown_name(mechanism[unknown][[1]]),
       device = if (!any(unknown)) device)
}

# The two truths of a yes/no question. Designs with an unknown number split them into latent classes.
truth_labels <- function(mechanism) if (has_unknown(mechanism)) mechanism$reports else mechanism$levels

check_mechanism_list <- function(mechanism) {
  if (!is.list(mechanism) || is.object(mechanism) || !length(mechanism)) return(check_mechanism(mechanism))
  for (part in mechanism) check_mechanism(part)
  if (is.null(names(mechanism)) || !all(nzchar(names(mechanism))) || anyDuplicated(names(mechanism))) {
    abort(c("A list of mechanisms must have a different name for each.",
            i = paste("The names are the values of {.arg arm}:",
                      "{.code list(direct = rr_binary(1, 0), device = rr_forced(1 / 6))}.")),
          "argument")
  }
}

match_arms <- function(arm, names, n) {
  if (is.null(arm)) {
    abort(c("{.arg arm} is needed with a list of mechanisms.",
            x = "There are {length(names)}: {.val {names}}.",
            i = "Name the column that says which one each respondent had: {.code arm = design}."), "argument")
  }
  if (length(arm) != n) {
    abort(c("{.arg arm} must have one entry per row.", x = "It has {length(arm)}; there are {n} rows."), "argument")
  }
  place <- match(label_text(arm), names)
  lost <- which(is.na(place))
  if (length(lost)) {
    abort(c("Every {.arg arm} must have a mechanism.",
            x = paste("Row {lost[1]} is {.val {as.character(arm)[lost[1]]}} ({length(lost)} such row{?s} in all),",
                      "which is not the name of one."),
            i = "The mechanisms are {.val {names}}."), "mismatch")
  }
  place - 1L
}

# The column of each row's device.
row_arms <- function(arm, n) if (is.null(arm)) rep_len(1L, n) else arm + 1L

# P(yes | yes) and P(yes | no) of each row.
row_device <- function(device, arm, n) {
  rows <- row_arms(arm, n)
  list(p = device[1, rows], q = device[2, rows], d = device[5, rows])
}
