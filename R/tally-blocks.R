# Blocks of people whose reports depend on each other: a tally keeps, for each group, their labels and their counts.

# A tally with what it keeps of the blocks of each group.
with_blocks <- function(tally, blocks) {
  check_block_sizes(unlist(lapply(blocks, `[[`, "label")), unlist(lapply(blocks, block_people)), tally$mechanism)
  tally$blocks <- blocks
  tally
}

merge_blocks <- function(parts) {
  counts <- rowsum(t(do.call(cbind, lapply(parts, `[[`, "counts"))), unlist(lapply(parts, `[[`, "label")),
                   reorder = FALSE)
  list(label = rownames(counts), counts = unname(t(counts)))
}

check_block_sizes <- function(labels, people, mechanism) {
  sizes <- rowsum(people, labels)
  large <- which.max(sizes)
  if (!length(sizes) || sizes[large] <= mechanism$cards) return(invisible())
  abort(c("A block must not have more people than the deck has cards, {format_count(mechanism$cards)}.",
          x = "Block {.val {rownames(sizes)[large]}} has {format_count(sizes[large])}."), "report")
}
