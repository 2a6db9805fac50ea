# A name that is cut off finds another element in silence: law$b was law$blocks.
options(warnPartialMatchDollar = TRUE)
