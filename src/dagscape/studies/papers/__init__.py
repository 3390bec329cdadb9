"""Every numbered table and figure of the papers behind dagscape, run again by one command.

An *item* is one table or figure (:class:`~dagscape.studies.papers.item.Item`): a small file that says what the paper
did, what is done here, and what differs and why. Its numbers come from a *study*
(:class:`~dagscape.studies.papers.item.Study`): many independent runs, kept in a file as they finish, so that a study
that was interrupted goes on where it was. Several items may share one study. There is one folder for each paper, by the
key of its citation; :mod:`~dagscape.studies.papers.registry` lists all items, and
:mod:`~dagscape.studies.papers.catalogue` the data that they need.
"""
