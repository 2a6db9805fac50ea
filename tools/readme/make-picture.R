# Draws man/figures/README-plot.png: the picture that the first block of code in README.md draws.
#
# Run from the top of the package, with candor installed:  Rscript tools/readme/make-picture.R

lines <- readLines("README.md")
block <- which(lines == "```r")[1]
end <- block + match("```", lines[-seq_len(block)])
for (expression in parse(text = lines[(block + 1):(end - 1)])) picture <- eval(expression)
ggplot2::ggsave("man/figures/README-plot.png", picture, width = 7.5, height = 3.6, dpi = 110)
