# The last file that is read. R hands an argument that a method does not know to its `...`, where it
# is lost. So every method of a generic of another package that makes nothing of its `...` begins
# with warn_ignored().
local({
  own <- topenv()
  uses <- c("...", "...length", "NextMethod")
  for (name in grep("[.](summary[.])?rr_[a-z_]+$", ls(own), value = TRUE)) {
    method <- own[[name]]
    known <- names(formals(method))
    ours <- exists(sub("[.](summary[.])?rr_.*", "", name), own, inherits = FALSE)
    if (ours || !"..." %in% known || any(uses %in% all.names(body(method)))) next
    body(method) <- bquote({
      warn_ignored(..., known = .(known))
      .(body(method))
    })
    assign(name, method, own)
  }
})
