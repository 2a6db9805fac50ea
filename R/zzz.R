# The last file that is read. R hands an argument that a method does not have to its `...`, where it
# is lost. So every method of a generic of another package that makes nothing of its `...` begins
# with warn_ignored().
local({
  namespace <- topenv()
  uses <- c("...", "...length", "NextMethod")
  for (name in grep("[.](summary[.])?rr_[a-z_]+$", ls(namespace), value = TRUE)) {
    method <- namespace[[name]]
    accepted <- names(formals(method))
    ours <- exists(sub("[.](summary[.])?rr_.*", "", name), namespace, inherits = FALSE)
    if (ours || !"..." %in% accepted || any(uses %in% all.names(body(method)))) next
    body(method) <- bquote({
      warn_ignored(..., accepted = .(accepted))
      .(body(method))
    })
    assign(name, method, namespace)
  }
})
