# site-links.R <site>: prints each link and each picture of the site that leads nowhere inside of it.
site <- normalizePath(commandArgs(TRUE)[1])
pages <- list.files(site, "[.]html$", recursive = TRUE, full.names = TRUE)
read <- lapply(pages, xml2::read_html)
names(read) <- pages
anchors <- lapply(read, function(page) xml2::xml_text(xml2::xml_find_all(page, "//@id | //a/@name")))

for (page in pages) {
  links <- xml2::xml_text(xml2::xml_find_all(read[[page]], "//a/@href | //img/@src | //script/@src | //link/@href"))
  links <- unique(grep("^(https?:|mailto:|data:|javascript:)", links, value = TRUE, invert = TRUE))
  for (link in links[nzchar(links)]) {
    place <- utils::URLdecode(sub("[?#].*", "", link))
    target <- if (!nzchar(place)) page else normalizePath(file.path(dirname(page), place), mustWork = FALSE)
    if (dir.exists(target)) target <- file.path(target, "index.html")
    anchor <- if (grepl("#", link)) utils::URLdecode(sub("^[^#]*#", "", link)) else ""
    if (!file.exists(target)) {
      cat(sub(paste0(site, "/"), "", page, fixed = TRUE), ": no ", link, "\n", sep = "")
    } else if (nzchar(anchor) && !is.null(anchors[[target]]) && !anchor %in% anchors[[target]]) {
      cat(sub(paste0(site, "/"), "", page, fixed = TRUE), ": no place ", link, "\n", sep = "")
    }
  }
}
