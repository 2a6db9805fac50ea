# rr_perturb() of 1e8 answers, secure, against runif(1e8): to reach <= 2.
library(candor)
source("common.R", chdir = TRUE)

n <- 1e8
x <- rep_len(1:10, n)
x[1] <- 1L # a plain vector, no compact form
compare <- function(what, expression) {
  envir <- parent.frame()
  expression <- substitute(expression)
  report(paste("rr_perturb(1e8),", what, "/ runif(1e8)"),
         eval(bquote(ratio(.(expression), runif(n), times = 3)), envir), "<= 2")
}
compare("GRR, 10 levels, integer", rr_perturb(x, rr_grr(10, epsilon = 2)))
compare("GRR with p < q, integer", rr_perturb(x, rr_grr(10, p = 0.05)))
compare("forced response, 10 levels, integer", rr_perturb(x, rr_forced(rep(c(0.03, 0.05), 5))))
compare("GRR, 10 levels, rng = \"R\"", rr_perturb(x, rr_grr(10, epsilon = 2), rng = "R"))
yes <- x > 5L
compare("Warner, logical", rr_perturb(yes, rr_warner(0.7)))
rm(yes)
attributes(x) <- list(levels = letters[1:10], class = "factor")
compare("GRR, 10 levels, factor", rr_perturb(x, rr_grr(letters[1:10], epsilon = 2)))
x <- NULL
big <- sample.int(41270L, 1e7, replace = TRUE)
report("rr_perturb(1e7), GRR, 41,270 levels / runif(1e7)",
       ratio(rr_perturb(big, rr_grr(41270, epsilon = 4)), runif(1e7), times = 5), "<= 2")
