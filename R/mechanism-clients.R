#' Clients in other languages
#'
#' Reports are made where the answers are: in a telephone, a browser, a program. The collector needs R, the client does not. This page says what a client in another language must
#' compute, so that [rr_tally()] counts its reports.
#'
#' What follows from a design alone (codes, hash functions, places of Bloom filters, buckets of sketches) is public and the same on every machine. A client can compute it as written here, or
#' hold what R computed: `mechanism$codes`, `mechanism$prime`, `mechanism$functions` and `mechanism$places`. The members of `mechanism` in the file of [rr_write()] are the arguments
#' that decide all of it.
#'
#' What protects people is the randomness of each report. It must come from a cryptographic generator, such as that of the operating system, and chances must be compared with whole random
#' numbers: `rr_epsilon(mechanism, achieved = TRUE)` says what 64 bits reach. Never use the public numbers of this page for it.
#'
#' @section Public numbers:
#' A *key* is up to eight whole numbers below \eqn{2^{32}}; those that are not given are 0. Its stream is that of ChaCha20 with 20 rounds: the block function of RFC 8439, with the constants,
#' the eight words of the key, a block counter of 64 bits from 0 (low word first) and two words of 0. The 16 words of 32 bits of each block follow one another.
#'
#' A number below \eqn{m} is drawn from the next word \eqn{w}: where \eqn{w m \bmod 2^{32}}{w m mod 2^32} is below \eqn{2^{32} \bmod m}{2^32 mod m}, \eqn{w} is left out and the next word
#' taken; the number is \eqn{\lfloor w m / 2^{32} \rfloor}{floor(w m / 2^32)}. Below, "numbers below \eqn{m} of (a, b, ...)" are those of the stream with this key, one after the other.
#'
#' @section Local hashing:
#' Of [rr_local_hash()] with \eqn{K} categories and \eqn{g} values, \eqn{P} is the least prime from \eqn{\max(K, 64 g)}{max(K, 64 g)} on, at most \eqn{2^{31} - 1}. The codes are
#' \eqn{K} different numbers below \eqn{P}, with the key \eqn{(0, K, P)}.
#'
#' * If \eqn{P \le \max(4 \cdot 10^6, 4 K)}{P <= max(4e6, 4 K)}: start with the list of 0, 1, ..., \eqn{P - 1}. For \eqn{i} from 0 to \eqn{K - 1} draw a number below \eqn{P - i} and
#'   exchange the entries \eqn{i} and \eqn{i} plus this number. The first \eqn{K} entries are the codes.
#' * Otherwise the codes are the first \eqn{K} different ones among numbers below \eqn{P}.
#'
#' A report has a `slope` \eqn{a} from 1 to \eqn{P - 1} and a `shift` \eqn{b} from 0 to \eqn{P - 1}, both uniform and secret until sent. The hash of category \eqn{v} is
#' \eqn{1 + \lfloor ((a z_v + b) \bmod P) g / P \rfloor}{1 + floor(((a z[v] + b) mod P) g / P)}. `value` is the hash of the truth with probability
#' \eqn{e^\epsilon / (e^\epsilon + g - 1)}, else one of the other values, each as likely as another. With `cohorts` \eqn{M} the slopes are 1 plus the first \eqn{M} numbers below
#' \eqn{P - 1} of \eqn{(1, K, P, M, 1)}, the shifts the first \eqn{M} numbers below \eqn{P} of \eqn{(1, K, P, M, 2)}; a report is a uniform `cohort` from 1 and the `value`.
#'
#' @section The print of a text:
#' Two numbers stand for a text under a `key`. Take the text in UTF-8, fill it with bytes of 0 to a multiple of 16 (nothing where it is one, or empty), and add a block of 16 bytes: the number of
#' bytes of the text, as a word of 32 bits with the low byte first, and zeros. Start with \eqn{s = (0, 0)}. For each block, whose four words are
#' \eqn{n_0, \dots, n_3}{n0, ..., n3} with the low byte first, \eqn{s} becomes the first two numbers below \eqn{2^{31} - 1} of
#' \eqn{(3, key, s_0, s_1, n_0, n_1, n_2, n_3)}{(3, key, s0, s1, n0, n1, n2, n3)}. The last \eqn{s} is the print.
#'
#' @section Bloom filters and sketches:
#' Of [rr_bloom()] the \eqn{j}th bit (from 1) that a label sets in cohort \eqn{c} comes from the \eqn{c}th number \eqn{r} below `bits` \eqn{- j + 1} of
#' \eqn{(4, key, s_0, s_1, j)}{(4, key, s0, s1, j)}, \eqn{s} being the print of the label: it is the bit with \eqn{r} bits before it, those left out that \eqn{j = 1, 2, \dots}{j = 1, 2, ...}
#' took already. Each bit is then reported as 1 with probability `mechanism$one` where it is set and `mechanism$zero` where it is not (with `permanent` see [rr_bloom()] for the two stages).
#'
#' Of [rr_sketch_counts()] the bucket (from 0) of a text under the \eqn{c}th function is the \eqn{c}th number below `width` of \eqn{(5, key, s_0, s_1)}{(5, key, s0, s1)}. The report is that of
#' [rr_unary()] about the buckets with `optimized = FALSE`; with `one_bit` a uniform `index` from 0 to the next power of two less one and a `sign`, which is 1 where bucket and index have an even number
#' of binary ones in common, else -1, and turned over with probability \eqn{1 / (1 + e^\epsilon)}.
#'
#' How reports are written down, bits in hexadecimal for example, is on the page of [rr_reports()].
#'
#' @section Errors:
#' None: nothing is called here. `rr_reports(x, mechanism)` says what is wrong with reports that a client sent.
#' @source Nir, Y. and Langley, A. (2018). ChaCha20 and Poly1305 for IETF protocols. RFC 8439. \doi{10.17487/RFC8439}
#'
#'   Lemire, D. (2019). Fast random integer generation in an interval. *ACM Transactions on Modeling and Computer Simulation* 29(1). \doi{10.1145/3230636} (numbers below
#'   \eqn{m}; there as well the proof that they are uniform).
#' @name clients
#' @examples
#' mechanism <- rr_local_hash(c("light", "dark", "automatic"), epsilon = 1)
#' mechanism$prime
#' mechanism$codes
#' # To test a client: the hash of each category under slope 5 and shift 7
#' 1 + floor(((5 * mechanism$codes + 7) %% mechanism$prime) * mechanism$g / mechanism$prime)
#' # Bits that each label sets, from 1: bits by labels by cohorts
#' rr_bloom(c("light", "dark"), epsilon = 2, bits = 16, cohorts = 2)$places
NULL
