# Treats each supported category as a report of its own. The closed form of k-ary randomized response then needs only
# the counts. This is not the likelihood of the reports, which support several categories together.
method_composite <- function() {
  rr_new_method("composite", "Composite likelihood of the support counts", estimate_composite, needs = "support",
                local_map = composite_map, group = "likelihood", cost = 1, place = 1.5, composite = TRUE)
}

# With cells in proportion to q + d theta the counts are those of randomized response with p' = p / (p + (K - 1) q) and
# q' = q / (p + (K - 1) q), of C = sum of the counts.
composite_form <- function(law, k) {
  if (length(law$p) > 1L || length(law$q) > 1L) refuse_law(law, "alike", "{.arg method} {.val composite}")
  total <- law$p + (k - 1) * law$q
  list(a = law$difference / total, b = law$q / total, odds = law$difference / law$q)
}

estimate_composite <- function(evidence, options) {
  form <- composite_form(evidence$law, evidence$k)
  if (!any(evidence$counts > 0)) return(list(estimate = rep(1 / evidence$k, evidence$k)))
  .Call(C_rr_mle, evidence$counts, form$a, form$b, form$odds)
}

# theta = alpha' (I - pi 1') inv on the support, pi the shares of its counts: the delta method.
composite_map <- function(estimate, evidence) {
  form <- composite_form(evidence$law, evidence$k)
  on <- estimate > 0
  total <- sum(evidence$counts[on])
  if (total == 0) return(NULL)
  share <- ifelse(on, evidence$counts / total, 0)
  alpha <- (1 - sum(!on) * form$b) / form$a
  list(support = on, alpha = alpha * evidence$n * evidence$law$difference / total, u = share)
}

# The default where the counts do not determine the likelihood and no method was named.
default_method <- function(tally, law = rr_law(tally$mechanism)) {
  law <- tally_law(tally, 1L, law)
  if (law_gives(law, "likelihood", length(tally$mechanism$levels))) return("mle")
  if (!inherits(law, "rr_law_support")) {
    cli::cli_inform(c("The likelihood of these reports cannot be had from their counts.",
                      i = "Estimated with {.code method = \"norm_sub\"}, the projection of the unbiased estimate."),
                    class = "candor_message_method")
    return("norm_sub")
  }
  cli::cli_inform(c("The reports' own likelihood needs their sets: {.code rr_tally(..., keep = \"sets\")}.",
                    i = paste("Estimated from the support counts with {.code method = \"composite\"};",
                              "it is not maximum likelihood.")),
                  class = "candor_message_composite")
  "composite"
}
