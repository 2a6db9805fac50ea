# Truth from elsewhere: exact probabilities (golden), closed forms, and R's own generator. Seeds are fixed, so each test is
# passed or failed for good; the limits are such that a right simulator would fail them for one seed in a million or fewer.

plain_study <- function(x) {
  attr(x, "study") <- NULL
  x
}

chi_square <- function(seen, expected) sum((seen - expected)^2 / expected)

test_that("reports of fixed truths follow the exact distribution of the histogram", {
  for (case in golden("rr_histogram_pmf")) {
    truth <- as.double(case$input$truth_counts)
    k <- length(truth)
    p <- case$input$p
    if (k * p == 1) next
    for (target in c("fixed", "iid")) {
      theta <- truth / sum(truth)
      form <- rr_law(rr_grr(k, p = p))
      draws <- 40000
      counts <- .Call(C_rr_study_counts, theta, if (target == "fixed") truth, sum(truth), form$a, form$b, form$odds, 3, 1, 0, draws)
      pmf <- case$expected[[paste0("pmf_", target, "_truth")]]
      # A histogram as one number.
      key <- function(x) drop(x %*% (sum(truth) + 1)^(seq_len(k) - 1))
      seen <- tabulate(match(key(t(counts)), key(case$expected$histograms)), nrow(case$expected$histograms))
      expect_equal(sum(seen), draws)
      expect_true(all(seen[pmf == 0] == 0))
      possible <- pmf > 0
      if (sum(possible) > 1) expect_lt(chi_square(seen[possible], draws * pmf[possible]), stats::qchisq(1e-7, sum(possible) - 1, lower.tail = FALSE))
    }
  }
})

test_that("many respondents cost no accuracy", {
  # N = 1e12: sums, mean and variance of one category, within 6 standard errors.
  form <- rr_law(rr_grr(20, epsilon = 2))
  theta <- zipf_shares(20, 1)
  counts <- .Call(C_rr_study_counts, theta, NULL, 1e12, form$a, form$b, form$odds, 1, 1, 0, 4000)
  expect_true(all(colSums(counts) == 1e12))
  m <- form$b + form$a * theta
  z <- (counts - 1e12 * m) / sqrt(1e12 * m * (1 - m))
  expect_lt(max(abs(rowMeans(z))), 6 / sqrt(4000))
  expect_lt(max(abs(apply(z, 1, stats::var) - 1)), 6 * sqrt(2 / 4000))
})

test_that("the risk of inversion is its closed form, for both targets", {
  truths <- list(even = zipf_shares(60, 0.01), steep = zipf_shares(400, 1.3))
  for (target in c("population", "sample")) {
    study <- rr_study(truths, epsilon = c(1, 4), n = c(100, 12345), method = c("inv", "mle"), replications = 200, seed = 2, target = target, workers = 1)
    inv <- study[study$method == "inv", ]
    for (i in which(inv$metric == "mse")) {
      theta <- truths[[inv$truth[i]]]
      if (target == "sample") theta <- whole_shares(inv$n[i], theta) / inv$n[i]
      # Each of n theta_x reports y with C[x, y]; sampled respondents report y with the sum over x.
      a <- rr_law(rr_grr(length(theta), epsilon = inv$epsilon[i]))$a
      b <- (1 - a) / length(theta)
      m <- b + a * theta
      variance <- if (target == "population") m * (1 - m) else theta * (b + a) * (1 - b - a) + (1 - theta) * b * (1 - b)
      exact <- sum(variance) / a^2 / inv$n[i]
      expect_lt(abs(inv$estimate[i] - exact), 5.5 * inv$mc.error[i])
      # Unbiased, and variance the rest.
      expect_lt(abs(inv$estimate[i + 3]), 6 * inv$mc.error[i + 3])
      expect_equal(inv$estimate[i + 3] + inv$estimate[i + 4], inv$estimate[i], tolerance = 1e-9)
    }
  }
})

test_that("every method of rr_estimate() can be studied", {
  methods <- setdiff(possible_methods(rr_grr(8, epsilon = 2)), "ibu")
  study <- rr_study(zipf_shares(8, 1), epsilon = 2, n = 500, method = methods, replications = 4, seed = 1, workers = 1)
  expect_equal(unique(study$method), methods)
  expect_true(all(is.finite(study$estimate[study$metric %in% c("mse", "tv", "bias2", "variance")])))
  # Two names of one method give the same figures.
  expect_equal(study$estimate[study$method == "norm_sub"], study$estimate[study$method == "invp"], tolerance = 1e-9)
})

test_that("a study has the contract's columns", {
  study <- function(truth = zipf_shares(4, 1), ..., replications = 5) rr_study(truth, c(1, 2), c(10, 20), "mle", replications, ..., seed = 1)
  plain <- study(list(a = zipf_shares(4, 1), b = table(c("x", "y", "y"))))
  expect_named(plain, c("truth", "k", "epsilon", "n", "method", "metric", "estimate", "mc.error"))
  expect_equal(nrow(plain), 2 * 2 * 2 * 5)
  made <- list(grr = rr_grr, half = function(k, epsilon) rr_grr(k, epsilon = epsilon / 2))
  expect_equal(unique(study(mechanism = made)$mechanism), c("grr", "half"))
  expect_true(all(is.na(study(replications = 1)$mc.error)))
})

test_that("a seed fixes everything, and no seed uses R's generator", {
  call <- function(seed = NULL) plain_study(rr_study(zipf_shares(30, 1), c(1, 2), c(50, 500), replications = 20, seed = seed))
  set.seed(1)
  state <- .Random.seed
  expect_identical(call(7), call(7))
  expect_identical(.Random.seed, state)
  first <- call()
  set.seed(1)
  expect_identical(call(), first)
})

test_that("one worker or two, forked or not: the same study", {
  skip_if_not_installed("parallel")
  call <- function(workers) {
    plain_study(rr_study(list(a = zipf_shares(40, 1), b = zipf_shares(300, 0.5)), c(1, 3), c(50, 5000), method = c("inv", "mle", "norm_cut"),
                         replications = 30, seed = 4, workers = workers, progress = FALSE))
  }
  alone <- call(1)
  if (.Platform$OS.type != "windows") expect_identical(call(2), alone)
  # A cluster's processes load the package from the library, which is not there under load_all().
  skip_if_not(nzchar(system.file("schema", package = "candor")) && !"pkgload" %in% loadedNamespaces(), "an installed package")
  withr::local_options(candor.workers = "cluster")
  expect_identical(call(2), alone)
})

test_that("what is resumed equals what was never interrupted", {
  whole <- rr_study(zipf_shares(20, 1), c(1, 2, 3), c(50, 500), replications = 20, seed = 4, workers = 1)
  state <- attr(whole, "study")
  state$results[c(2, 5)] <- list(NULL)
  part <- new_rr_study(state)
  expect_equal(nrow(part), nrow(whole) * 4 / 6)
  expect_identical(plain_study(rr_study(resume = unserialize(serialize(part, NULL)))), plain_study(whole))
  expect_error(rr_study(zipf_shares(20, 1), c(1, 2), c(50, 500), resume = part), class = "candor_error_argument")
})

test_that("an interrupted study returns what it has", {
  pressed <- FALSE
  method <- list(mle = "mle", press = function(counts, mechanism) {
    # What Ctrl-C raises.
    if (!pressed && mechanism$epsilon > 2) {
      pressed <<- TRUE
      signalCondition(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
    }
    counts / sum(counts)
  })
  call <- function(...) rr_study(zipf_shares(20, 1), c(1, 2, 3), c(50, 500), method = method, replications = 5, seed = 4, workers = 1, ...)
  expect_warning(part <- call(), "interrupted", class = "candor_warning_incomplete")
  expect_gt(nrow(part), 0)
  expect_lt(nrow(part), 6 * 10)
  expect_identical(plain_study(rr_study(resume = part)), plain_study(call()))
})

test_that("a law that the core cannot simulate is studied by its mechanism's own counts", {
  # Each bit of a unary code is kept with probability 3/4: support counts are sums of two binomials.
  unary <- function(k, epsilon) rr_new_mechanism("toy_study", levels = k, reports = k, epsilon = epsilon, design = "unary", simulate = supports)
  supports <- function(mechanism, truth, nsim) {
    replicate(nsim, stats::rbinom(length(truth), truth, 0.75) + stats::rbinom(length(truth), sum(truth) - truth, 0.25))
  }
  registerS3method("rr_law", "rr_toy_study", function(mechanism) rr_new_law("support", p = 0.75, q = 0.25), envir = asNamespace("candor"))
  set.seed(1)
  before <- .Random.seed
  truth <- c(0.5, 0.3, 0.2)
  study <- function(workers, ...) rr_study(truth, 1, 200, "inv", replications = 400, mechanism = unary, seed = 3, workers = workers, ...)
  first <- study(1)
  expect_identical(.Random.seed, before)
  expect_identical(plain_study(study(1, target = "population")), plain_study(first))
  # Each count is binomial, whatever the others are; there is no likelihood.
  m <- 0.25 + 0.5 * truth
  mse <- first[first$metric == "mse", ]
  expect_lt(abs(mse$estimate - sum(m * (1 - m)) / 200 / 0.25), 5 * mse$mc.error)
  expect_true(is.nan(first$estimate[first$metric == "nll"]))
  fixed <- study(1, target = "sample")[1, ]
  expect_lt(abs(fixed$estimate - 3 * 0.25 * 0.75 / 200 / 0.25), 5 * fixed$mc.error)
})

test_that("workers that die leave their cells to be resumed", {
  skip_on_os("windows")
  skip_if_not_installed("parallel")
  deadly <- withr::local_tempfile()
  file.create(deadly)
  # Kills its own process in one cell, as long as the file is there.
  method <- list(mle = "mle", kill = function(counts, mechanism) {
    if (file.exists(deadly) && abs(mechanism$epsilon - 2) < 1e-9) tools::pskill(Sys.getpid(), tools::SIGKILL)
    counts / sum(counts)
  })
  call <- function() rr_study(zipf_shares(20, 1), c(1, 2, 3), c(50, 500), method = method, replications = 5, seed = 4, workers = 2, progress = FALSE)
  expect_warning(part <- call(), class = "candor_warning_incomplete")
  expect_lt(nrow(part), 6 * 10)
  unlink(deadly)
  expect_identical(plain_study(rr_study(resume = part, workers = 1)), plain_study(call()))
})

test_that("a cell that fails does not take the others with it", {
  method <- list(odd = function(counts, mechanism) if (sum(counts) == 50) stop("no idea") else counts / sum(counts))
  expect_warning(part <- rr_study(zipf_shares(20, 1), c(1, 2), c(50, 500), method = method, replications = 5, seed = 4, workers = 1),
                 "no idea", class = "candor_warning_incomplete")
  expect_equal(unique(part$n), 500)
})

test_that("what can never work is refused before the work starts", {
  truth <- zipf_shares(3, 1)
  expect_refused(rr_study(truth, 1, 10, mechanism = rr_warner), rr_study(truth, 1, 10, mechanism = function(k, epsilon) 3),
                 rr_study(truth, c(1, 2), 10, mechanism = list(grr = rr_grr, two = function(k, epsilon) rr_grr(2, epsilon = epsilon))),
                 rr_study(truth, 1, 10, mechanism = function(k, epsilon) rr_forced(c(0.1, 0.2, 0.3)), method = c("mle", "combine")),
                 rr_study(truth, 1, 10, method = list(short = function(counts, mechanism) c(0.5, 0.5))),
                 rr_study(truth, 1, 10, method = list(nan = function(counts, mechanism) c(0.5, 0.5, NaN))),
                 rr_choose_method(rr_counts(c(4, 5, 6), rr_grr(3, epsilon = 1)), method = list(short = function(counts, mechanism) 1)),
                 rr_study(truth, numeric(), 100), rr_study(truth, 1, 10, method = "mel"), rr_study(truth, 1, 10, mechanism = rr_grr(3, epsilon = 1)),
                 rr_study(c(0.5, 0.5), n = 10, mechanism = rr_warner(0.8), method = function(counts, mechanism) counts / sum(counts)),
                 rr_study(truth, n = 10, mechanism = rr_warner(0.8)))
  # The name that was meant is in the message.
  expect_error(rr_study(truth, 1, 10, method = c("mle", "InvP")), "InvP.*invp", class = "candor_error_argument")
  expect_error(rr_choose_method(rr_counts(c(4, 5, 6), rr_grr(3, epsilon = 1)), method = "InvP"), "InvP.*invp", class = "candor_error_argument")
  expect_refused(rr_study(c(a = 0.4, b = 0.6), n = 10, mechanism = rr_warner(0.8)), class = "mismatch")
  for (bad in list(c(2, 3, 5), c(0.2, 0.3), list(a = 1), c(0.5, NA), c(-0.5, 1.5), "zipf", rr_unary(4, epsilon = 1))) expect_refused(rr_study(bad, 1, 100))
  expect_refused(rr_study(truth, 1, 10, mechanism = function(k, epsilon) rr_grr(k, p = 1 / k)), class = "no_information")
  expect_error(rr_study(truth, 1, 10, method = list(stops = function(counts, mechanism) stop("no {idea}"))), "no \\{idea")
})

test_that("a method that always fails is tried once in each of ten cells, evenly from the first to the last", {
  seen <- NULL
  study <- function(n, fails) {
    seen <<- NULL
    method <- list(own = function(counts, mechanism) {
      seen <<- c(seen, sum(counts))
      if (fails(sum(counts))) stop("no idea")
      counts / sum(counts)
    })
    rr_study(c(0.6, 0.4), 1, n, method, replications = 3, seed = 1, workers = 1)
  }
  expect_error(study(10 * 1:19, function(n) TRUE), "no idea")
  expect_equal(seen, 10 * seq(1, 19, 2))
  expect_error(study(1:4, function(n) TRUE), "no idea")
  expect_equal(seen, 1:4)
  # It fails in the first two: the third shows that it can work, and three replications of each cell follow.
  expect_warning(part <- study(1:4, function(n) n < 3), class = "candor_warning_incomplete")
  expect_identical(unique(part$n), 3:4 + 0)
  expect_equal(seen[1:3], 1:3)
  expect_equal(tabulate(seen[-(1:3)]), c(1, 1, 3, 3))
})

test_that("a mechanism is called by the name epsilon, or with epsilon second", {
  call <- function(mechanism) plain_study(rr_study(zipf_shares(4, 1), c(1, 2), 50, replications = 5, seed = 1, mechanism = mechanism))
  made <- list(function(k, eps) rr_grr(k, epsilon = eps), function(epsilon, k) rr_grr(k, epsilon = epsilon), function(...) rr_grr(...))
  for (mechanism in made) expect_identical(call(mechanism), call(rr_grr))
})

test_that("kernels refuse what R would never give them", {
  counts <- function(truth, fixed) .Call(C_rr_study_counts, truth, fixed, 10, 0.4, 0.3, 4 / 3, 1, 1, 0, 1)
  for (bad in list(list(c(0.5, 0.6), NULL), list(c(0.5, 0.5), c(1, 2)), list(1:2, NULL))) expect_error(do.call(counts, bad))
  judge <- function(estimates = c(0.4, 0.6), counts = c(2, 3), x = estimates, b = 0.3, group = 0L) {
    .Call(C_rr_study_judge, estimates, c(0.5, 0.5), counts, 5, x, 0.4, b, 4 / 3, group)
  }
  expect_equal(judge()$losses[1], 0.02)
  expect_equal(judge(0L)$losses[1], 2 * 0.25^2) # inv of 2 and 3: (0.4 - 0.3) / 0.4 = 0.25
  for (bad in list(list(4L), list(group = 1L), list(estimates = 1:2), list(estimates = c(0.4, 0.3, 0.3)), list(x = 0.4), list(b = c(0.3, 0.3, 0.3)))) {
    expect_error(do.call(judge, bad))
  }
})

test_that("a user's function, a registered method and its kernel are judged alike, by the closed form of the losses", {
  mechanism <- rr_forced(c(0.1, 0.3, 0.2))
  truth <- c(0.2, 0.5, 0.3)
  counts <- study_counts(mechanism, truth, NULL, 100, 7, 1, 0, 12)
  estimates <- apply(counts, 2, function(x) coef(rr_estimate(rr_counts(x, mechanism), method = "invp")))
  by_hand <- rbind(mse = colSums((estimates - truth)^2), tv = colSums(abs(estimates - truth)) / 2,
                   nll = -colSums(counts * log(c(0.1, 0.3, 0.2) + 0.4 * estimates)) / 100)
  own <- function(counts, mechanism) coef(rr_estimate(rr_counts(counts, mechanism), method = "invp"))
  study <- rr_study(truth, 1, 100, list(named = "invp", own = own), replications = 12, seed = 7, workers = 1, mechanism = function(k, epsilon) mechanism)
  for (name in c("named", "own")) {
    figures <- study[study$method == name, ]
    expect_equal(figures$estimate[1:3], unname(rowMeans(by_hand)), tolerance = 1e-12)
    expect_equal(figures$mc.error[1:3], unname(apply(by_hand, 1, stats::sd)) / sqrt(12), tolerance = 1e-12)
    variance <- sum(apply(estimates, 1, stats::var))
    expect_equal(figures$estimate[5], variance, tolerance = 1e-12)
    expect_equal(figures$estimate[4], sum((rowMeans(estimates) - truth)^2) - variance / 12, tolerance = 1e-12)
  }
  # The jackknife over ten groups of twelve replications, with each group left out in turn.
  group <- floor((0:11) * 10 / 12)
  left_out <- sapply(0:9, function(g) sum(apply(estimates[, group != g], 1, stats::var)))
  expect_equal(study$mc.error[5], sqrt(9 / 10 * sum((left_out - mean(left_out))^2)), tolerance = 1e-10)
  # A mechanism itself is what a function returns, and has its own epsilon.
  given <- rr_study(truth, n = 100, method = list(named = "invp", own = own), replications = 12, seed = 7, workers = 1, mechanism = mechanism)
  expect_identical(given$estimate, study$estimate)
  expect_identical(unique(given$epsilon), mechanism$epsilon)
})

test_that("studies, choices and simulations work for the protocols", {
  for (m in list(rr_subset(6, 1), rr_subset(40, 1), rr_local_hash(6, 1), rr_hadamard(6, 1, one_bit = TRUE), rr_unary(6, 1), rr_bitflip(6, 1, d = 2),
                 rr_local_hash(6, 1, cohorts = 20), rr_longitudinal(6, 2, 1), rr_longitudinal(6, 2, 1, "local-hash"))) {
    k <- length(m$levels)
    truth <- as.double(rep(c(70, 30, 0), length.out = k))
    set.seed(3)
    counts <- simulate_counts(m, truth, 60)
    expect_identical(dim(counts), c(length(m$reports), 60L))
    # Means of 60 tallies, each count within 5 standard deviations of a count of its mean.
    mean <- candor:::law_expected(rr_law(m), truth / sum(truth)) * sum(truth)
    expect_lte(max(abs(rowMeans(counts) - mean) / sqrt(mean / 60)), 5, label = format(m))
    choice <- suppressMessages(rr_choose_method(rr_counts(counts[, 1], m, n = sum(truth)), seed = 1, replications = 20))
    expect_true(all(is.finite(choice$risk)))
  }
  study <- rr_study(list(zipf = zipf_shares(6, 1)), epsilon = 1, n = 200, method = c("inv", "invp"), replications = 60, seed = 1,
                    mechanism = list(subset = rr_subset, hash = rr_local_hash, bit = function(k, epsilon) rr_hadamard(k, epsilon, one_bit = TRUE)))
  # The mean squared error of the unbiased estimate is that of the plan.
  mse <- study$estimate[study$mechanism == "subset" & study$method == "inv" & study$metric == "mse"]
  plan <- rr_recommend(6, 1, 200, zipf_shares(6, 1))
  expect_equal(mse, plan$mse[plan$mechanism == "subset"], tolerance = 0.35)
})

test_that("distributions without names are numbered", {
  study <- rr_study(list(c(0.6, 0.4), c(0.9, 0.1)), epsilon = 1, n = 20, method = "inv", replications = 2, seed = 1, workers = 1)
  expect_identical(unique(study$truth), c("1", "2"))
})

test_that("the summary has the winner of each cell and its margin", {
  study <- rr_study(list(even = rep(0.25, 4), steep = c(0.97, 0.01, 0.01, 0.01)), epsilon = 1, n = c(50, 500), method = c("inv", "invn", "invp", "mle"),
                    replications = 20, seed = 1, workers = 1)
  table <- summary(study)
  expect_identical(nrow(table), 12L)
  # The cells and their metrics stand in the order of the study.
  cells <- unique(as.data.frame(study)[study$metric %in% c("mse", "tv", "nll"), c("truth", "k", "epsilon", "n", "metric")])
  expect_identical(as.data.frame(table)[1:5], cells, ignore_attr = TRUE)
  expect_named(table, c(names(cells), "method", "estimate", "second", "margin", "tie", "mc.error"))
  for (i in seq_len(nrow(table))) {
    cell <- study[study$truth == table$truth[i] & study$n == table$n[i] & study$metric == table$metric[i], ]
    # The unbiased estimate is no distribution, and its likelihood no rival.
    if (table$metric[i] == "nll") cell <- cell[cell$method != "inv", ]
    sorted <- cell[order(cell$estimate), ]
    expect_identical(c(table$method[i], table$second[i]), sorted$method[1:2])
    expect_equal(table$margin[i], sorted$estimate[2] - sorted$estimate[1])
    expect_identical(table$tie[i], table$margin[i] < 1e-12)
  }
  expect_false("inv" %in% unlist(table[table$metric == "nll", c("method", "second")]))
})

test_that("methods with the same estimates are a tie, and one method alone has no margin", {
  # Two names of one function: all of their metrics agree.
  half <- function(counts, mechanism) c(0.5, 0.5)
  study <- function(method) {
    summary(rr_study(c(0.6, 0.4), epsilon = 1, n = 50, method = method, replications = 4, seed = 1, workers = 1))
  }
  expect_identical(unique(study(list(a = half, b = half))$tie), TRUE)
  expect_identical(unique(study(list(a = half, b = "inv"))$tie[1:2]), FALSE)
  expect_identical(unique(study("inv")$tie), NA)
})

test_that("the print says how many cells, replications and respondents there are, and the seed", {
  study <- rr_study(c(0.6, 0.4), c(1, 2), c(50, 100, 200), method = "inv", replications = 4, seed = 9, workers = 1)
  expect_identical(capture.output(print(study))[1], "<rr_study> 6 cells, 4 replications each, respondents sampled anew, seed 9")
})

test_that("what is no grid of a study is refused", {
  base <- list(truth = c(0.2, 0.3, 0.5), mechanism = rr_grr(3, epsilon = 1), n = 50, method = "inv", replications = 2, seed = 1)
  study <- function(...) do.call(rr_study, c(base[setdiff(names(base), names(list(...)))], list(...)))
  small <- study()
  grr <- function(k, epsilon) rr_grr(k, epsilon = epsilon)
  refused <- list(
    list(progress = NA), list(progress = 1), list(workers = 0), list(workers = 1025), list(replications = 0), list(epsilon = 1), list(seed = -1),
    list(truth = c(0.5, 0.5)), list(truth = c(0.2, 0.3, 0.6)), list(resume = 1), list(resume = small), list(other = 1),
    list(mechanism = list(), epsilon = 1), list(mechanism = list(grr), epsilon = 1),
    list(mechanism = list(a = grr, a = grr), epsilon = 1), list(mechanism = list(a = grr, b = 2), epsilon = 1),
    list(mechanism = function(k, epsilon) rr_grr(k + 1, epsilon = epsilon), epsilon = 1)
  )
  for (arguments in refused) expect_error(do.call(study, arguments), class = "candor_error")
  expect_error(rr_study(resume = small, order = 1), class = "candor_error")
  # Nothing is left of a study that is done.
  expect_equal(as.data.frame(rr_study(resume = small)), as.data.frame(small))
})

test_that("a channel that a validation study measured, and reports that tell nothing, have no study", {
  measured <- rr_misclassification(table = structure(rbind(c(30, 5), c(4, 40)), dimnames = list(c("no", "yes"), c("no", "yes"))))
  expect_refused(rr_study(c(0.6, 0.4), n = 20, mechanism = measured, replications = 1, seed = 1), class = "law")
  expect_refused(rr_study(c(0.6, 0.4), n = 20, mechanism = rr_grr(2, p = 0.5), replications = 1, seed = 1), class = "no_information")
})

test_that("truths of one name are told apart, and the margin of a winner has the errors of both methods", {
  even <- c(0.5, 0.5)
  study <- rr_study(list(a = even, a = c(0.9, 0.1)), 1, 50, c("inv", "invp"), replications = 4, seed = 1, workers = 1)
  expect_identical(unique(study$truth), c("a", "a.1"))
  table <- summary(study)
  first <- study[study$truth == "a" & study$metric == "mse", ]
  expect_equal(table$mc.error[1], sqrt(sum(first$mc.error^2)))
  expect_equal(table$estimate[1], min(first$estimate))
})

test_that("a study has as many processes as cores are allowed", {
  withr::local_envvar("_R_CHECK_LIMIT_CORES_" = "")
  for (cores in c(1, 3)) expect_identical(withr::with_options(list(mc.cores = cores), default_workers()), cores)
  for (none in c(0, NA)) expect_identical(withr::with_options(list(mc.cores = none), default_workers()), 1)
  withr::local_envvar("_R_CHECK_LIMIT_CORES_" = "TRUE")
  expect_identical(withr::with_options(list(mc.cores = 8), default_workers()), 2)
})
