# names.R [folder [file]]: words without a fixed meaning as names, comments that must be read twice, and dense lines, by
# file. Ends with status 1 if a total is over its budget. Budgets are today's totals and may only fall. With `file`, a
# pattern, prints the comments of these files that are counted.
budget <- c(names = 60, late = 10, verbless = 8, dense = 120, wide = 0, tokens_a_line = 10)

# A name is what a file assigns, an argument of its functions, or a field or argument that a call names.
banned <- c("own", "at", "part", "parts", "found", "given", "known", "form", "spread", "whole", "plain", "kept", "shown",
            "both", "asked", "ends", "place", "places", "said", "told", "about", "way", "ways", "again", "good",
            "gone", "held", "now", "faces", "made", "rest")
late <- "^(Of|That|Those|What|Where|Which|Who|Whether|Such|By|With|Without|From|Beside) "
verbs <- paste0("\\b(is|are|was|were|be|been|has|have|had|do|does|did|can|cannot|may|might|must|will|would|should|go|goes|",
                "let|cut|put|hit|carr(y|ies)|var(y|ies)|tr(y|ies)|match(es)?|miss(es)?|pass(es)?|(", paste0(
  "add|allow|appear|ask|become|begin|belong|bring|cancel|choose|come|compute|contain|decide|depend|determine|differ|draw|",
  "drop|enclose|exceed|exist|fail|fall|find|follow|get|give|grow|happen|help|hide|hold|ignore|include|invert|join|judge|",
  "keep|know|learn|leave|lie|look|lose|make|mean|meet|merge|move|need|occur|pick|protect|prove|raise|read|refuse|remain|repeat|",
  "replace|represent|require|return|reveal|round|run|save|say|see|select|send|show|shrink|solve|stand|stay|stop|suffice|",
  "support|take|tell|tend|think|treat|turn|use|wait|want|weigh|widen|work|write|yield"), ")s?)\\b")

# The sentences of comments; `head`: the first of a comment above a definition, where a noun phrase names the value.
# Lines that are indented further are a list or a formula, and headings have dashes.
sentences <- function(lines) {
  comment <- grepl("^ *# ", lines) & !grepl("----", lines, fixed = TRUE)
  blocks <- split(which(comment), cumsum(c(TRUE, diff(which(comment)) != 1))[seq_len(sum(comment))])
  do.call(rbind, c(list(data.frame(line = 0L, text = "", head = FALSE)[0L, ]), lapply(blocks, function(block) {
    text <- paste(sub("^ *# ", "", grep("^ *#  ", lines[block], value = TRUE, invert = TRUE)), collapse = " ")
    each <- trimws(unlist(strsplit(text, "(?<=[.!?])[)\"']? +(?=[^a-z])", perl = TRUE)))
    defines <- grepl("^[[:alnum:]._]+ *<- ", c(lines, "")[block[length(block)] + 1L])
    data.frame(line = rep(block[1L], length(each)), text = each, head = defines & seq_along(each) == 1L)
  })))
}
count_file <- function(file) {
  lines <- readLines(file)
  tree <- utils::getParseData(parse(file, keep.source = TRUE))
  tokens <- tree[tree$terminal & tree$token != "COMMENT", ]
  assigned <- tokens$token == "SYMBOL" & c(tokens$token[-1L], "") == "LEFT_ASSIGN" &
    !c("", tokens$token[-nrow(tokens)]) %in% c("'$'", "'@'")
  named <- assigned | tokens$token %in% c("SYMBOL_FORMALS", "SYMBOL_SUB")
  comments <- sentences(lines)
  is_late <- grepl(late, comments$text)
  no_verb <- !comments$head & !grepl(verbs, tolower(comments$text)) & grepl("^[A-Z`].{8}", comments$text)
  if (!is.na(chosen) && grepl(chosen, file)) print(comments[is_late | no_verb, 1:2], right = FALSE, row.names = FALSE)
  per_line <- table(tokens$line1)
  c(names = sum(named & tokens$text %in% banned), late = sum(is_late), verbless = sum(no_verb), dense = sum(per_line > 24),
    wide = sum(nchar(lines[as.integer(names(per_line))]) > 100), tokens = nrow(tokens), lines = length(per_line))
}
options(width = 120)
folder <- c(commandArgs(TRUE), "R")[1L]
chosen <- commandArgs(TRUE)[2L]
files <- list.files(folder, "[.]R$", full.names = TRUE)
counts <- t(vapply(files, count_file, numeric(7L)))
worst <- head(counts[order(-counts[, "names"]), , drop = FALSE], 15L)
print(cbind(worst, tokens_a_line = round(worst[, "tokens"] / worst[, "lines"], 1)))
total <- colSums(counts)
measured <- c(total[1:5], tokens_a_line = round(total[["tokens"]] / total[["lines"]], 1))
over <- measured > budget
cat(sprintf("%-14s %8s  budget %6s%s\n", names(budget), measured, budget, ifelse(over, "  over", "")), sep = "")
quit(status = as.integer(any(over)))
