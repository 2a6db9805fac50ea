#' Pool several designs for one truth
#'
#' Combines tallies of different designs that ask for the same truth: a direct question beside a randomized question, two decks of
#' cards, three published surveys of one population. [rr_estimate()] of the pool maximizes one likelihood over all designs.
#'
#' The tallies are treated as independent samples of one population, or as random parts of one sample. The pool is a tally whose reports are the pairs of design and
#' report. It works like any tally: `"mle"` with its certificate, [rr_contrast()], and all intervals but `"exact"`. The default is profile likelihood intervals,
#' because Wilson's interval gives the sharper design too little weight. [rr_goodness_of_fit()] tests whether one truth explains all reports.
#'
#' Respondents with different \eqn{\epsilon}, chosen by themselves or by their devices, are such designs too: make a mechanism and a tally for each value. The choice
#' must not depend on the truth. In regressions use the `arm` of [rr_glm()].
#'
#' @section Optional answers:
#' With `optional = TRUE` respondents could answer directly in place of using the device, and nobody knows who did. Each sample has its own yes/no device, given to people before they
#' choose. The share of yes is a combination of the reported shares that does not depend on who uses the device, whatever their truth. Two devices give one
#' if both have the same \eqn{(1 - p) / q}{(1 - p) / q}, such as two designs of Warner; otherwise three are needed. The combination with the smallest estimated variance is
#' used (Gupta, Gupta and Singh 2002 need independence of choice and truth). [rr_estimate()] of the pool has Wald intervals; method `"mle"` and its intervals are cut at 0 and 1. [rr_epsilon()] is `Inf`.
#'
#' @param ... Tallies of [rr_tally()] or [rr_counts()] whose mechanisms have the same levels (in any order), or one list of them. Names
#'   become the names of the designs. Grouped tallies must have the same groups. A weighted tally counts with its effective number of respondents.
#' @param optional Logical, default `FALSE`. Could respondents answer directly, unseen? See *Optional answers*.
#' @return An object of class `rr_tally`. Its mechanism has class `c("rr_pooled", "rr_channel", "rr_mechanism")` and the element `designs`. Its reports are
#'   labelled `design: report`.
#' @section Errors:
#' * `candor_error_argument`: fewer than two tallies, or tallies of support counts or of several questions.
#' * `candor_error_mismatch`: different levels or groups. `candor_error_empty`: a tally without reports.
#' @references The likelihood of independent samples is the product of their likelihoods. For two samples and an unknown parameter: Moshagen, M., Musch, J. and Erdfelder, E. (2012). A stochastic lie
#'   detector. *Behavior Research Methods* 44, 222-231. \doi{10.3758/s13428-011-0144-2}
#'
#'   Gupta, S., Gupta, B. and Singh, S. (2002). Estimation of sensitivity level of personal interview survey questions. *Journal of Statistical Planning and Inference* 100(2),
#'   239-247. \doi{10.1016/S0378-3758(01)00137-9} (optional answers)
#' @seealso [rr_lie_detector()], [rr_cheater_detection()] for designs with an unknown parameter; [rr_compare()] for designs that may disagree.
#' @concept meta-analysis
#' @concept direct and randomized questions
#' @concept personalized privacy
#' @examples
#' # How common is plagiarism, from surveys of students with different
#' # designs?
#' tallies <- lapply(seq_len(nrow(plagiarism_survey)), function(i) {
#'   with(plagiarism_survey[i, ],
#'        rr_counts(c(no = no, yes = yes), rr_binary(p, q)))
#' })
#' fit <- rr_estimate(rr_pool(tallies))
#' tidy(fit, conf.int = TRUE)   # 5.5% (2.8% to 9.2%)
#' rr_goodness_of_fit(fit)   # p = 0.002: the surveys disagree
#'
#' # Respondents who chose how much to protect their answer
#' rr_estimate(rr_pool(
#'   cautious = rr_counts(c(no = 190, yes = 110), rr_warner(epsilon = 1)),
#'   open = rr_counts(c(no = 160, yes = 40), rr_warner(epsilon = 3))
#' ))
#'
#' # Two samples with Warner's design, whose respondents could answer directly
#' # if they preferred it: how many cheated, whoever used the device?
#' optional <- rr_pool(rr_counts(c(no = 206, yes = 94), rr_warner(0.7)),
#'                     rr_counts(c(no = 928, yes = 272), rr_warner(0.9)),
#'                     optional = TRUE)
#' tidy(rr_estimate(optional), conf.int = TRUE)   # 18% (14% to 23%)
#' @export
rr_pool <- function(..., optional = FALSE) {
  tallies <- list(...)
  if (length(tallies) == 1L && is.list(tallies[[1]]) &&
      !inherits(tallies[[1]], "rr_tally")) {
    tallies <- tallies[[1]]
  }
  check_pool(tallies)
  names <- names(tallies) %||% rep("", length(tallies))
  names <- make.unique(ifelse(nzchar(names), names, paste("design", seq_along(tallies))))
  mechanisms <- lapply(tallies, `[[`, "mechanism")
  levels <- mechanisms[[1]]$levels
  n <- vapply(tallies, function(tally) sum(tally$effective_n), 0)
  counts <- do.call(rbind, lapply(tallies, function(tally) {
    sweep(as.matrix(tally$counts), 2, tally$effective_n / tally$n, `*`)
  }))
  groups <- tallies[[1]]$groups
  if (is.null(groups)) counts <- drop(counts)
  mechanism <- new_rr_pooled(
    mechanisms,
    setNames(n / sum(n), names),
    levels,
    check_flag(optional, "optional")
  )
  new_rr_tally(
    mechanism,
    unname(counts),
    groups = groups,
    missing = sum(vapply(tallies, `[[`, 0, "missing"))
  )
}

check_pool <- function(tallies) {
  if (length(tallies) < 2L) abort("At least two tallies are needed.")
  first <- tallies[[1]]
  for (i in seq_along(tallies)) {
    tally <- tallies[[i]]
    if (!inherits(tally, "rr_tally")) abort("Only tallies can be pooled, and argument {i} is none.")
    mechanism <- tally$mechanism
    is_small <- length(mechanism$reports) <= matrix_limit
    if (!is.null(mechanism$questions) || !has_categories(mechanism) || !is_small) {
      abort(
        "Pooled tallies must be of one question with at most {matrix_limit} reports, tally {i} too."
      )
    }
    if (!setequal(tally$mechanism$levels, first$mechanism$levels) ||
        !identical(as.list(tally$groups), as.list(first$groups))) {
      abort("Pooled tallies must be of the same levels and groups, tally {i} too.", "mismatch")
    }
    refuse_validated(tally$mechanism, "{.fn rr_pool}")
    if (any(tally$n <= 0)) {
      abort(c("Pooled tallies must hold reports.", x = "Tally {i} is empty."), "empty")
    }
  }
}

# The channel from the shared truth to pairs of design and report. A respondent meets a design with
# a probability that does not depend on the truth, so these probabilities cancel in every
# likelihood.
new_rr_pooled <- function(mechanisms, shares, levels, optional = FALSE) {
  devices <- if (optional) optional_devices(mechanisms, levels)
  rows <- Map(function(mechanism, share) {
    C <- rr_matrix(mechanism)
    share * unname(C[match(levels, mechanism$levels), , drop = FALSE])
  }, mechanisms, shares)
  reports <- unlist(
    Map(
      function(mechanism, name) paste(name, mechanism$reports, sep = ": "), mechanisms,
      names(shares)
    )
  )
  C <- do.call(cbind, unname(rows))
  result <- new_rr_channel(
    C / rowSums(C),
    list(levels = levels, reports = unname(reports)),
    sprintf("%d designs of one truth", length(mechanisms)),
    "pooled",
    designs = setNames(mechanisms, names(shares)),
    shares = shares,
    parameters = mechanisms[[1]]$parameters
  )
  class(result) <- c(if (optional) "rr_optional", "rr_pooled", "rr_channel", "rr_mechanism")
  if (optional) {
    result[c("epsilon", "devices")] <- list(Inf, devices)
    result$design <- paste0(result$design, ", for those who wanted to use them")
    result$law <- new_rr_law(
      "optional",
      "a report is the answer of a device or a direct answer",
      truths = 2
    )
  }
  with_recipe(result, "rr_pool", optional = if (optional) TRUE, fields = c("designs", "shares"))
}

# The probabilities of a yes from those who answer directly with a yes, from those who use a device
# whose truth is yes, and from those whose truth is no. A combination of the reported shares with
# the weights w is the share of yes, whoever uses a device, if these rows times w are 1, 1 and 0.
optional_devices <- function(mechanisms, levels) {
  devices <- vapply(
    mechanisms,
    function(mechanism) {
      if (length(mechanism$levels) != 2L || length(mechanism$reports) != 2L) {
        abort("Optional answers must be of yes/no questions.")
      }
      truths <- match(rev(levels), mechanism$levels)
      c(
        1, unname(rr_matrix(mechanism))[truths, match(levels[2], mechanism$levels)]
      )
    },
    numeric(3)
  )
  combined <- devices %*% optional_weights(devices, rep(1, ncol(devices)))
  if (max(abs(combined - c(1, 1, 0))) > 1e-9) {
    abort(
      c(
        "The devices cannot tell optional answers.",
        i = paste(
          "Two must have the same {.code (1 - p) / q}, as designs of Warner have;",
          "otherwise three are needed."
        )
      ),
      c("no_information", "argument")
    )
  }
  unname(devices)
}

# The weights of least variance, which are unique though two devices may leave the rows dependent.
optional_weights <- function(devices, variance) {
  scale <- 1 / sqrt(variance)
  decomposition <- svd(devices * rep(scale, each = 3))
  used <- decomposition$d > 1e-9 * decomposition$d[1]
  along <- crossprod(
    decomposition$u[, used, drop = FALSE], c(1, 1, 0)
  ) / decomposition$d[used]
  scale * drop(decomposition$v[, used, drop = FALSE] %*% along)
}

# The mechanism of a pool, from the arguments in a file.
read_pooled <- function(designs, shares, optional = FALSE) {
  check_pool(
    lapply(designs, function(design) {
      new_rr_tally(design, rep(1, length(design$reports)))
    })
  )
  shares <- check_probabilities(shares, "shares")
  if (length(shares) != length(designs)) {
    abort("{.field shares} must be one probability for each design.", "file")
  }
  new_rr_pooled(designs, setNames(shares, names(designs)), designs[[1]]$levels,
                check_flag(optional, "optional"))
}
