"""All tasks by name. A new task is one record here.

Plans, the command line, :func:`dagscape.load_result`, the tables in the documentation and the contract tests read these
records, so a new task joins all of them with one entry.
"""

from __future__ import annotations

from dagscape.planning.task import Task

# Beyond this, a search for modes that fits in memory may prove none for hours.
_MOST_ADVISED = 30

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "describe",
            ("data",),
            "data.discrete.dataset:Dataset.describe",
            "data.discrete.summary:DataSummary",
            command="describe",
            help="Summarise a table: variables, levels, counts, missing cells.",
        ),
        Task(
            "plan",
            ("data to score",),
            "planning.plan:plan",
            "planning.plan:Plan",
            command="plan",
            help="Estimate the memory and time of a job before it starts.",
        ),
        Task(
            "scores",
            ("data to score",),
            "scores.scoring:local_scores",
            "scores.tables.lattice_scores:LatticeScores",
            command="score",
            help="Compute the local scores of all families.",
            requirements_at="scores.requirements:scoring_requirements",
            seconds_at="scores.requirements:scoring_seconds",
        ),
        Task(
            "score-summary",
            ("all scores",),
            "scores.summary:summarize_scores",
            "scores.summary:ScoreSummary",
            command="score",
        ),
        Task(
            "posterior",
            ("all scores",),
            "posterior.summing:posterior",
            "posterior.result:Posterior",
            command="posterior",
            help="Compute the exact probability of every edge and ancestor relation.",
            citations=("tian2009", "koivisto2004", "koivisto2006"),
            requirements_at="posterior.planned:planned_requirements",
            seconds_at="posterior.planned:planned_seconds",
            options_at="posterior.planned:SUM_OPTIONS",
            largest_at="posterior.planned:largest_sums",
            elsewhere_at="posterior.planned:usual_elsewhere",
        ),
        Task(
            "feature-probability",
            ("all scores",),
            "posterior.features:feature_probability",
            "posterior.result:Probability",
            citations=("tian2009", "koivisto2004"),
            requirements_at="posterior.requirements:feature_requirements",
            seconds_at="posterior.requirements:feature_seconds",
            options_at="posterior.planned:FEATURE_OPTIONS",
            # Who asks for something else does not ask for one probability.
            most_advised=0,
        ),
        Task(
            "optimal",
            ("all scores",),
            "best.optimal:optimal_network",
            "best.optimal:OptimalNetwork",
            command="best",
            citations=("silander2006",),
            requirements_at="best.requirements:optimal_requirements",
            seconds_at="best.requirements:optimal_seconds",
        ),
        Task(
            "best",
            ("all scores",),
            "best.k_best:k_best",
            "best.result:BestNetworks",
            command="best",
            help="Find the best networks or equivalence classes, and what they agree on.",
            citations=("chen2014",),
            requirements_at="best.requirements:list_requirements",
            seconds_at="best.requirements:list_seconds",
        ),
        Task(
            "modes",
            ("all scores",),
            "modes.mode_orderings:modes",
            "modes.result:Modes",
            command="modes",
            help="Find the best networks of mode orderings: good, and different from each other.",
            citations=("chen2019",),
            requirements_at="modes.requirements:modes_requirements",
            seconds_at="modes.requirements:modes_seconds",
            most_advised=_MOST_ADVISED,
        ),
        Task(
            "learn",
            ("data to score", "scores"),
            "search.learning:learn",
            "search.result:Learned",
            command="learn",
            help="Find one good network, for any number of variables.",
            citations=("teyssier2005", "chickering2002", "munteanu2000", "tsamardinos2006"),
            requirements_at="search.requirements:learning_requirements",
            seconds_at="search.trial:learning_seconds",
            options_at="search.requirements:LEARNING_OPTIONS",
        ),
        Task(
            "mmpc",
            ("data",),
            "search.mmpc:mmpc",
            "search.parents_children:ParentsChildren",
            citations=("tsamardinos2006",),
            requirements_at="search.independence:independence_requirements",
            seconds_at="search.trial:neighbour_seconds",
            options_at="search.independence:TEST_OPTIONS",
        ),
        Task(
            "bootstrap",
            ("data to score",),
            "studies.bootstrap:bootstrap",
            "studies.bootstrap_result:Bootstrap",
            command="bootstrap",
            help="Learn networks from resampled rows: the confidence in every edge and ancestor relation.",
            citations=("friedman1999",),
            requirements_at="studies.bootstrap_plan:bootstrap_requirements",
            seconds_at="studies.bootstrap_plan:bootstrap_seconds",
            options_at="studies.bootstrap_plan:BOOTSTRAP_OPTIONS",
            quick={"samples": 4, "workers": 1},
        ),
        Task(
            "sensitivity",
            ("data to score",),
            "studies.sensitivity:sensitivity",
            "studies.sensitivity_result:Sensitivity",
            command="sensitivity",
            help="Compare posteriors under a grid of settings: their evidence, and the edges that change.",
            requirements_at="studies.grids:sensitivity_requirements",
            seconds_at="studies.grids:sensitivity_seconds",
            options_at="studies.grids:GRID_OPTIONS",
            quick={"max_parents": 2},
        ),
        Task(
            "student",
            ("answers",),
            "student.learning.command:command",
            "student.model.model:StudentModel",
            command="student",
            help="Learn prerequisites of skills, and a student model, from answers to items.",
            citations=("chen2016",),
            requirements_at="student.learning.requirements:model_requirements",
            seconds_at="student.learning.trial:model_seconds",
            options_at="student.learning.requirements:MODEL_OPTIONS",
            quick={"restarts": 2},
        ),
        Task(
            "student-evaluation",
            ("student model",),
            "student.model.model:StudentModel.evaluate",
            "student.model.evaluation:Evaluation",
            command="student",
            quick={"cv": 2, "workers": 1},
        ),
        Task(
            "parm",
            ("answers",),
            "student.learning.parm:parm",
            "student.learning.parm:Parm",
            citations=("chen2015",),
            requirements_at="student.learning.requirements:parm_requirements",
            seconds_at="student.learning.trial:parm_seconds",
            options_at="student.learning.requirements:PARM_OPTIONS",
            quick={"restarts": 2},
        ),
        Task(
            "bootstrap-skills",
            ("answers",),
            "studies.skill_bootstrap:bootstrap_skills",
            "studies.bootstrap_result:Bootstrap",
            citations=("friedman1999",),
            requirements_at="studies.bootstrap_plan:skill_bootstrap_requirements",
            seconds_at="studies.bootstrap_plan:skill_bootstrap_seconds",
            options_at="studies.bootstrap_plan:SKILL_OPTIONS",
            quick={"samples": 4, "workers": 1, "restarts": 1},
        ),
        Task(
            "compare",
            ("structures",),
            "graphs.comparison:compare",
            "graphs.comparison:Comparison",
            command="compare",
            help="Compare the structures of two networks.",
        ),
    )
}

# Those that take the scores of all families and that plans know: a plan of one may advise another.
METHODS: dict[str, Task] = {
    name: task for name, task in TASKS.items() if task.takes == ("all scores",) and task.planned
}
