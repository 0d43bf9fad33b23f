"""What the process that helpers are forked from has imported, so that they share it."""

#: The last one makes that what was imported stays in one piece (see there).
PRELOADED = (
    "soloc.lab.views.registry",
    "soloc.lab.uploads.worker",
    "soloc.text.pipelines",
    "soloc.lab.work.frozen",
)
