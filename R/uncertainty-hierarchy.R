# Counts of a hierarchy: the depth of each holder of a level is drawn, then each depth's counts.

#' @export
rr_simulate_counts.rr_hierarchy <- function(mechanism, truth, nsim = 1) {
  law <- rr_law(mechanism)
  depths <- mechanism$height
  vapply(seq_len(nsim), function(i) {
    left <- truth
    unlist(lapply(seq_len(depths), function(l) {
      drew <- stats::rbinom(length(left), left, 1 / (depths - l + 1))
      left <<- left - drew
      nodes <- as.vector(rowsum(drew, node_of(law, l), reorder = FALSE))
      c(sum(drew), rr_simulate_counts(mechanism$parts[[l]], nodes, 1))
    }), use.names = FALSE)
  }, numeric(length(mechanism$reports)))
}
