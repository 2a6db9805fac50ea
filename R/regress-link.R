# The links of the truth: what R's own link functions are, with derivatives up to the fourth, which mgcv asks for.

regress_links <- c("logit", "probit", "cloglog", "cauchit", "log", "identity")

check_link <- function(link) {
  if (inherits(link, "link-glm")) link <- link$name
  check_choice(link, "link", regress_links)
}

# As check_choice(), but with "logit" where nothing was chosen.
truth_curve <- function(link) {
  switch(link,
    logit = list(
      inverse = stats::qlogis, yes = stats::plogis, no = function(eta) stats::plogis(-eta),
      derivative = function(eta, k) {
        share <- stats::plogis(eta)
        f <- stats::dlogis(eta)
        switch(k, f, f * (1 - 2 * share), f * (1 - 6 * f), f * (1 - 2 * share) * (1 - 12 * f))
      }),
    probit = list(
      inverse = stats::qnorm, yes = stats::pnorm, no = function(eta) stats::pnorm(-eta),
      derivative = function(eta, k) {
        f <- stats::dnorm(eta)
        switch(k, f, -eta * f, (eta^2 - 1) * f, (3 * eta - eta^3) * f)
      }),
    cloglog = list(
      inverse = function(pi) log(-log1p(-pi)), yes = function(eta) -expm1(-exp(eta)), no = function(eta) exp(-exp(eta)),
      derivative = function(eta, k) {
        r <- pmin(exp(eta), 745)
        exp(-r) * r * switch(k, 1, 1 - r, 1 - 3 * r + r^2, 1 - 7 * r + 6 * r^2 - r^3)
      }),
    cauchit = list(
      inverse = stats::qcauchy, yes = stats::pcauchy, no = function(eta) stats::pcauchy(-eta),
      derivative = function(eta, k) {
        s <- 1 + eta^2
        switch(k, 1 / s, -2 * eta / s^2, (6 * eta^2 - 2) / s^3, 24 * eta * (1 - eta^2) / s^4) / pi
      }),
    log = list(inverse = log, yes = exp, no = function(eta) -expm1(eta), derivative = function(eta, k) exp(eta)),
    identity = list(inverse = identity, yes = identity, no = function(eta) 1 - eta,
                    derivative = function(eta, k) rep(if (k == 1) 1 else 0, length(eta))))
}

# How far a linear predictor may go before its truth is 0 or 1 to rounding; beyond, iterations of other packages run
# away.
link_range <- function(link) {
  switch(link, log = c(-35, 0), identity = c(0, 1), cauchit = c(-1e8, 1e8), c(-35, 35))
}

# The same links named as families name them, for tools that turn the predictor into a truth.
truth_link <- function(link) stats::make.link(link)
