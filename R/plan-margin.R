# Respondents for a margin of error, of a share or of a mean.

plan_margin <- function(mechanisms, margin, share, category, conf.level, simultaneous, target, second, worth) {
  rows <- lapply(names(mechanisms), function(name) {
    form <- category_form(mechanisms[[name]], category)
    z <- stats::qnorm(1 - (1 - conf.level) / 2 / if (simultaneous) form$k else 1)
    shares <- share %||% worst_share(form, target)
    direct <- list(a = 1, b = 0)
    grid <- expand.grid(share = shares, margin = margin, KEEP.OUT.ATTRS = FALSE)
    honest <- if (is.null(share)) 0.5 else grid$share
    asked <- second
    if (!is.null(asked)) asked["form"] <- list(NULL)
    variance <- function(form, share, second, target) {
      if (is.null(second)) unit_variance(form, share, target) else difference_variance(form, share, second, target)
    }
    people <- function(variance) people_for(ceiling(z^2 * variance / grid$margin^2), worth)
    plan_rows(name, mechanisms, grid, second, list(margin = grid$margin),
              people(variance(form, grid$share, second, target)),
              people(variance(direct, honest, asked, "population")))
  })
  do.call(rbind, rows)
}

# For the mean of numbers: margins in their unit, and answers that make its variance largest.
plan_mean <- function(mechanisms, margin, conf.level, target, worth, means, unused) {
  if (!all(means)) {
    abort(c("{.arg mechanism} must be all means, or none.", x = "{.val {names(mechanisms)[!means][1]}} is none.",
            i = "The margin of a mean is in the unit of its answers, that of a share is a share."), "argument")
  }
  if (length(unused)) {
    abort(c("{.arg {unused}} {?is/are} not used for the margin of a mean.",
            i = "Leave {cli::qty(unused)}{?it/them} out: there are no shares."), "argument")
  }
  widths <- vapply(mechanisms, function(m) diff(m$range), 0)
  if (!is.numeric(margin) || is.object(margin) || !length(margin) || anyNA(margin) || any(margin <= 0) ||
      any(margin >= min(widths))) {
    abort(c("{.arg margin} must be numbers above 0 and below the width of the range, in the unit of the answers.",
            x = "It is {describe(margin)}."), "argument")
  }
  z <- stats::qnorm(1 - (1 - conf.level) / 2)
  rows <- lapply(names(mechanisms), function(name) {
    half <- widths[[name]] / 2
    grid <- data.frame(share = rep(NA_real_, length(margin)), margin = as.double(margin))
    people <- function(variance) people_for(ceiling(z^2 * half^2 * variance / grid$margin^2), worth)
    plan_rows(name, mechanisms, grid, NULL, list(margin = grid$margin),
              people(largest_mean_variance(mechanisms[[name]], target)), people(1))
  })
  do.call(rbind, rows)
}
