# The last file that is read. R hands an argument that a method does not know, often a misspelt one, to its `...`. Every
# method of a generic of another package that has no use for its `...` begins with warn_ignored(), so that no such
# method can be forgotten.
local({
  own <- topenv()
  looks <- c("...", "...length", "NextMethod")
  for (name in grep("[.](summary[.])?rr_[a-z_]+$", ls(own), value = TRUE)) {
    method <- own[[name]]
    ours <- exists(sub("[.](summary[.])?rr_.*", "", name), own, inherits = FALSE)
    if (ours || !"..." %in% names(formals(method)) || any(looks %in% all.names(body(method)))) next
    body(method) <- bquote({
      warn_ignored(...)
      .(body(method))
    })
    assign(name, method, own)
  }
})
