//! Files that are no pipelines: what is wrong with them, and in which line.

use consign_pipeline::{
    Does, Target, Who,
    file::{self, Source, Unusable},
};

use crate::row::{folder, parsed};

/// A file, and everything that is wrong with it: the line, and a part of what is said.
struct Case {
    name: &'static str,
    text: &'static str,
    wrong: &'static [(usize, &'static str)],
}

const fn case(
    name: &'static str,
    text: &'static str,
    wrong: &'static [(usize, &'static str)],
) -> Case {
    Case { name, text, wrong }
}

/// Two stages that are right, after which more can be said.
macro_rules! with {
    ($more:literal) => {
        concat!(
            "name = \"n\"\n\n[[stage]]\nname = \"a\"\nagent = \"mine\"\ndefault_next = \"b\"\n\n",
            "[[stage]]\nname = \"b\"\nagent = \"mine\"\n",
            $more
        )
    };
}
pub(crate) use with;

/// Mistakes in stages that ask a person.
const PEOPLE: &[Case] = &[
    case(
        "a person and an agent",
        with!("person = { ask = \"approval\", prompt = \"?\" }\n"),
        &[(11, "stage \"b\" has an agent and a person: leave one out")],
    ),
    case(
        "a person beside others",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\n[[stage]]\nname = \"e\"\nperson = { ask = \"approval\", prompt = \"?\" }\n"
        ),
        &[(14, "\"e\" cannot run beside others: it asks a person")],
    ),
    case(
        "a person who is asked for nothing",
        with!("default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { prompt = \"?\" }\n"),
        &[(14, "`ask` is missing")],
    ),
    case(
        "a person who is asked for something else",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { ask = \"favour\", prompt = \"?\" }\n"
        ),
        &[(14, "/stages/2/person/ask")],
    ),
    case(
        "a person who is asked in other words",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { ask = \"approval\", promt = \"?\" }\n"
        ),
        &[(14, "unknown field `promt`; did you mean `prompt`?")],
    ),
    case(
        "a deadline that is none, in two ways",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\ndefault_next = \"d\"\n[stage.person]\nask = \"approval\"\nprompt = \"?\"\ndeadline = \"two hours\"\n[[stage]]\nname = \"d\"\n[stage.person]\nask = \"approval\"\nprompt = \"?\"\ndeadline = \"0s\"\n"
        ),
        &[
            (18, "write a duration such as \"90s\", \"30m\", \"2h\" or \"7d\""),
            (24, "the deadline of \"d\" is \"0s\": write a duration"),
        ],
    ),
    case(
        "members that mean nothing to a person",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { ask = \"approval\", prompt = \"?\" }\ninput = \"x\"\nmodel = \"acme/large\"\ntools = [\"read_file\"]\nrequired = [\"approved\"]\ntries = 2\n"
        ),
        &[
            (15, "\"c\" asks a person: input means nothing"),
            (16, "\"c\" asks a person: model means nothing"),
            (17, "\"c\" asks a person: tools means nothing"),
            (18, "\"c\" asks a person: required means nothing"),
            (19, "\"c\" asks a person: tries means nothing"),
        ],
    ),
    case(
        "a schema for a yes or no, and schemas that are none",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\ndefault_next = \"d\"\nperson = { ask = \"approval\", prompt = \"?\", schema = {} }\n[[stage]]\nname = \"d\"\nperson = { ask = \"form\", prompt = \"?\", schema = { type = \"colour\" } }\n"
        ),
        &[
            (
                15,
                "\"c\" asks for an approval, which is a yes or no: `schema` is for ask = \"form\"",
            ),
            (18, "the schema of \"d\" cannot be used"),
        ],
    ),
    case(
        "defaults that are no answers, and one that is never taken",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\ndefault_next = \"d\"\nperson = { ask = \"approval\", prompt = \"?\", deadline = \"2h\", default = \"yes\" }\n[[stage]]\nname = \"d\"\ndefault_next = \"e\"\nperson = { ask = \"form\", prompt = \"?\", deadline = \"2h\", default = 7 }\n[[stage]]\nname = \"e\"\nperson = { ask = \"approval\", prompt = \"?\", default = true }\n"
        ),
        &[
            (15, "the default of \"c\" is no answer"),
            (19, "the default of \"d\" is no answer"),
            (22, "the default of \"e\" is never taken: there is no deadline"),
        ],
    ),
    case(
        "places of a prompt that nothing can fill",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { ask = \"approval\", prompt = \"{{outputs.z}} {{output.a}}\" }\n"
        ),
        &[(14, "no stage writes the output \"z\""), (14, "{{output.a}}")],
    ),
    case(
        "routes that no approval takes",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { ask = \"approval\", prompt = \"?\" }\nroute = [\n{ key = \"aproved\", equals = true, to = \"a\" },\n{ key = \"approved\", equals = \"true\", to = \"a\" },\n{ key = \"by.name\", equals = \"x\", to = \"a\" },\n{ key = \"colour\", equals = 1, to = \"a\" }]\n"
        ),
        &[
            (16, "an approval gives no \"aproved\"; did you mean \"approved\"?"),
            (17, "`approved` is true or false"),
            (18, "an approval gives no \"by.name\"; \"by\" has no members"),
            (19, "an approval gives no \"colour\"; it has approved, why and by"),
        ],
    ),
    case(
        "a stage that only an approval without a route would lead to",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nperson = { ask = \"approval\", prompt = \"?\" }\ndefault_next = \"d\"\nroute = [{ key = \"approved\", equals = true, to = \"end\" }]\n[[stage]]\nname = \"d\"\nagent = \"m\"\n"
        ),
        &[(17, "nothing leads to stage \"d\"")],
    ),
];

const TOML: &[Case] = &[
    case("nothing", "", &[(1, "`name` is missing"), (1, "`stages` is missing")]),
    case("no TOML", "name = \"n\"\n[[stage]\nname = \"a\"\n", &[(2, "")]),
    case("a string without an end", "name = \"n\n", &[(1, "")]),
    case(
        "a name that is there twice",
        "name = \"n\"\nname = \"m\"\n",
        &[(2, "duplicate key `name`")],
    ),
    case("a key of its own", with!("colour = \"red\"\n"), &[(11, "colour")]),
    case(
        "a key of its own at the top",
        "speed = 1\nname = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\n",
        &[(1, "speed")],
    ),
    case(
        "a name with a capital letter",
        "name = \"N\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\n",
        &[(1, "/name")],
    ),
    case(
        "a stage without a name",
        "name = \"n\"\n\n[[stage]]\nagent = \"m\"\n",
        &[(3, "`name` is missing")],
    ),
    case("a number in place of text", with!("output_key = 7\n"), &[(11, "/stages/1/output_key")]),
    case("text in place of a list", with!("required = \"all\"\n"), &[(11, "/stages/1/required")]),
    case("more tries than there may be", with!("tries = 99\n"), &[(11, "/stages/1/tries")]),
    case(
        "a bound of none",
        "max_agent_hops = 0\nname = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\n",
        &[(1, "/max_agent_hops")],
    ),
    case("a number that is none", with!("tries = nan\n"), &[(11, "not finite")]),
    case("a number without end", with!("tries = 99999999999999999999\n"), &[(11, "too large")]),
    case(
        "a route without a value",
        with!("[[stage.route]]\nkey = \"k\"\nto = \"a\"\n"),
        &[(11, "`equals` is missing")],
    ),
    case(
        "stages under both names",
        "name = \"n\"\nstages = [{ name = \"b\", agent = \"m\", tries = 99 }]\n[[stage]]\nname = \"a\"\nagent = \"m\"\ndefault_next = \"b\"\nerror_next = \"c\"\n",
        &[
            (2, "`stages` is there twice"),
            (2, "tries: 99 is above the maximum of 10"),
            (7, "there is no stage \"c\""),
        ],
    ),
    case(
        "a bound that is none hides no other",
        "name = \"n\"\nmax_agent_hops = 1\nmax_llm_calls = 0\n[[stage]]\nname = \"a\"\nagent.model.name = \"acme/large\"\ndefault_next = \"b\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\n",
        &[
            (2, "the shortest way to the end has 2 hops, and max_agent_hops is 1"),
            (3, "/max_llm_calls: 0 is below the minimum of 1"),
        ],
    ),
    case(
        "a bound by some words of its name",
        "name = \"n\"\nmax_hops = 5\n[[stage]]\nname = \"a\"\nagent = \"m\"\n",
        &[(2, "unknown field `max_hops`; did you mean `max_agent_hops`?")],
    ),
    case(
        "what belongs into the agent",
        "name = \"n\"\n[[stage]]\nname = \"a\"\ntimeout_seconds = 5\nsubprocess.command = [\"cat\"]\ndefault_next = \"b\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\neffect = \"pure\"\n",
        &[
            (
                4,
                "`timeout_seconds`; it belongs into the agent's definition: `agent.timeout_seconds`",
            ),
            (5, "`subprocess`; it belongs into the agent's definition: `agent.subprocess`"),
            (10, "`effect`; it belongs into the agent's definition: `agent.effect`"),
        ],
    ),
    case(
        "a route that is wrong hides no other",
        with!(
            "route = [\n{ key = \"k\", equals = 1, to = \"a\" },\n{ key = \"k\", equals = 1.0, to = \"end\" },\n{ key = \"k\", equal = 2, to = \"a\" },\n{ key = \"\", equals = 2, to = \"a\" },\n{ key = \"k\", equals = 2, to = \"a\" }]\n"
        ),
        &[
            (13, "this route is never taken: the one in line 12 asks k for the same value"),
            (14, "unknown field `equal`; did you mean `equals`?"),
            (15, "/stages/1/routes/3/key"),
            (16, "the one in line 14 asks k for the same value"),
        ],
    ),
    case(
        "several things at once, in the order of their lines",
        with!("tries = 0\nmodel = \"\"\ndefault_next = \"end\"\n[[stage]]\nname = \"C\"\n"),
        &[
            (11, "/stages/1/tries"),
            (12, "/stages/1/model"),
            (14, "stage \"C\" has no agent"),
            (14, "nothing leads to stage \"C\""),
            (15, "/stages/2/name"),
        ],
    ),
    case(
        "what its form, its targets, its ways and its tools have wrong, all at once",
        with!(
            "tries = 99\nerror_next = \"A\"\ncolour = \"red\"\ninput = \"{{outputs.zz}}\"\ndefault_next = \"end\"\n[[stage]]\nname = \"c\"\nagent = \"plan\"\ntools = [\"hammer\"]\n"
        ),
        &[
            (11, "/stages/1/tries"),
            (12, "there is no stage \"A\"; did you mean \"a\"?"),
            (13, "unknown field `colour`"),
            (14, "no stage writes the output \"zz\""),
            (16, "nothing leads to stage \"c\""),
            (19, "there is no tool \"hammer\""),
        ],
    ),
    case(
        "two keys that nobody knows, each in its line",
        with!("colour = 1\nshape = 2\n"),
        &[(11, "unknown field `colour`"), (12, "unknown field `shape`")],
    ),
    case(
        "a key that is nearly one is taken for it",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\ndefalt_next = \"b\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\nnext = \"zz\"\n",
        &[
            (5, "unknown field `defalt_next`; did you mean `default_next`?"),
            (9, "unknown field `next`; did you mean `default_next`?"),
            (9, "there is no stage \"zz\""),
        ],
    ),
    case(
        "what follows from something else is not told",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = 7\ndefault_next = [\"b\"]\n[[stage]]\nname = \"b\"\nagent = \"m\"\noutput_key = 3\n[[stage]]\nagent = \"m\"\ninput = \"{{outputs.c}}\"\n[[stage.route]]\nkey = \"k\"\nequals = 1\nto = 2\n",
        &[
            (4, "/stages/0/agent"),
            (5, "/stages/0/default_next"),
            (9, "/stages/1/output_key"),
            (10, "`name` is missing"),
            (16, "/stages/2/routes/0/to"),
        ],
    ),
    case(
        "stages under a name that is nearly theirs",
        "name = \"n\"\n[[stagess]]\nname = \"a\"\nagent = \"m\"\ntries = 99\ndefault_next = \"zz\"\n",
        &[
            (2, "unknown field `stagess`; did you mean `stages`?"),
            (5, "/stages/0/tries"),
            (6, "there is no stage \"zz\""),
        ],
    ),
    case(
        "two stages of one name",
        with!("default_next = \"c\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\n"),
        &[(11, "no stage \"c\""), (13, "two stages \"a\"")],
    ),
    case(
        "a stage called start",
        "name = \"n\"\n[[stage]]\nname = \"start\"\nagent = \"m\"\n",
        &[(3, "no stage can be called \"start\"")],
    ),
    case(
        "a stage called end",
        with!("[[stage]]\nname = \"end\"\nagent = \"m\"\n"),
        &[(12, "no stage can be called \"end\"")],
    ),
    case(
        "no agent",
        with!("default_next = \"c\"\n[[stage]]\nname = \"c\"\n"),
        &[(12, "stage \"c\" has no agent")],
    ),
    case(
        "an agent and others at once",
        with!("parallel = [\"a\", \"c\",\n\"zz\"]\n[[stage]]\nname = \"c\"\nagent = \"m\"\n"),
        &[(11, "has an agent and `parallel`"), (12, "there is no stage \"zz\"")],
    ),
    case(
        "a target that is not there",
        with!("error_next = \"nowhere\"\n"),
        &[(11, "there is no stage \"nowhere\"")],
    ),
    case(
        "a target that is nearly there",
        "name = \"n\"\n[[stage]]\nname = \"work\"\nagent = \"m\"\ndefault_next = \"wrok\"\n",
        &[
            (5, "there is no stage \"wrok\"; did you mean \"work\"?"),
            (5, "from stage \"work\" nothing leads to the end"),
        ],
    ),
    case(
        "the end in capital letters",
        with!("default_next = \"End\"\nerror_next = \"END\"\n"),
        &[
            (11, "there is no stage \"End\"; did you mean \"end\"?"),
            (12, "there is no stage \"END\"; did you mean \"end\"?"),
        ],
    ),
    case(
        "a route to nowhere",
        with!("[[stage.route]]\nkey = \"k\"\nequals = 1\nto = \"far-away\"\n"),
        &[(14, "there is no stage \"far-away\"")],
    ),
    case(
        "a target that is not there hides no stage that nothing leads to",
        with!(
            "error_next = \"nowhere\"\ndefault_next = \"end\"\n[[stage]]\nname = \"c\"\nagent = \"m\"\ndefault_next = \"d\"\n[[stage]]\nname = \"d\"\nagent = \"m\"\n"
        ),
        &[
            (11, "there is no stage \"nowhere\""),
            (13, "nothing leads to stage \"c\", unless \"nowhere\" in line 11 means it"),
        ],
    ),
    case(
        "a member that is not there",
        with!("[[stage]]\nname = \"c\"\nparallel = [\n  \"b\",\n  \"zz\",\n]\n"),
        &[
            (6, "\"b\" runs beside others, and nothing else can lead to it"),
            (11, "nothing leads to stage \"c\", unless \"zz\" in line 15 means it"),
            (15, "there is no stage \"zz\""),
        ],
    ),
    case(
        "the end at once with others",
        with!("[[stage]]\nname = \"c\"\nparallel = [\"b\", \"end\"]\n"),
        &[
            (6, "\"b\" runs beside others, and nothing else can lead to it"),
            (11, "nothing leads to stage \"c\""),
            (13, "`end` is no stage"),
        ],
    ),
    case(
        "start is nowhere to go",
        with!("default_next = \"start\"\n"),
        &[(11, "there is no stage \"start\"")],
    ),
    case(
        "a stage that nothing leads to",
        with!("default_next = \"end\"\n[[stage]]\nname = \"c\"\nagent = \"m\"\n"),
        &[(12, "nothing leads to stage \"c\"")],
    ),
    case(
        "a circle that nothing leads out of",
        with!("default_next = \"a\"\n"),
        &[
            (6, "from stage \"a\" nothing leads to the end"),
            (11, "from stage \"b\" nothing leads to the end"),
        ],
    ),
    case(
        "a stage that leads to itself",
        with!("default_next = \"b\"\n"),
        &[(6, "nothing leads to the end"), (11, "nothing leads to the end")],
    ),
    case(
        "two that write one output",
        with!("output_key = \"a\"\n"),
        &[(11, "stages \"a\" and \"b\" both write the output \"a\"")],
    ),
    case(
        "two that write one output, one by its name",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\noutput_key = \"b\"\ndefault_next = \"b\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\n",
        &[(8, "both write the output \"b\"")],
    ),
    case(
        "a place of another kind",
        with!("input = \"{{input.x}} {{output.a}}\"\n"),
        &[(11, "{{output.a}} is no place")],
    ),
    case(
        "a member of the envelope that is nearly there",
        with!("input = [\"{{envelope.critic_feedbak}}\",\n\"{{envelope.iteration.x}}\"]\n"),
        &[
            (11, "an envelope has no \"critic_feedbak\"; did you mean \"critic_feedback\"?"),
            (12, "iteration has no members"),
        ],
    ),
    case(
        "places that nothing can fill",
        with!(
            "[stage.input]\na = \"{{raw_input.x}}\"\nb = \"{{envelope.errors.first}}\"\nc = \"{{envelope.completed_stages.0.stage_number.x}}\"\nd = \"{{outputs.a..b}}\"\ne = \"{{envelope.outputs.aa}}\"\nf = \"{{envelop.errors}}\"\n"
        ),
        &[
            (12, "{{raw_input.x}}: raw_input is text"),
            (13, "errors is a list"),
            (14, "stage_number has no members"),
            (15, "{{outputs.a..b}} is no place"),
            (16, "no stage writes the output \"aa\""),
            (17, "{{envelop.errors}} is no place; did you mean `envelope`?"),
        ],
    ),
    case(
        "places that can be filled, and braces that are text",
        with!(
            "[stage.input]\na = \"{{envelope.metadata.any.thing}} {{envelope}} {{envelope.outputs}}\"\nb = \"{{envelope.completed_stages.0.summary.x}}\"\nc = \"{{ and {{input\"\nd = \"{% if %} {{\"\ne = \"{{envelope.of_my_own}}\"\n"
        ),
        &[(14, "{{input has no end")],
    ),
    case(
        "a place without its second brace",
        with!("input = [\"{{input.x} {{\",\n\"{{input.x} {{input.y}}\"]\n"),
        &[
            (11, "{{input.x} has no end: a place ends with two braces, }}"),
            (12, "{{input.x} {{input.y}} is no place: there is a brace too few"),
        ],
    ),
    case("a place without a name", with!("input = \"{{}}\"\n"), &[(11, "{{}} is no place")]),
    case(
        "a place that ends in a point",
        with!("input = \"{{envelope.}}\"\n"),
        &[(11, "{{envelope.}} is no place")],
    ),
    case(
        "all outputs at once",
        with!("input = \"{{outputs}}\"\n"),
        &[(11, "which of the outputs?")],
    ),
    case(
        "an output that nobody writes",
        with!("input = { deep = [\"{{outputs.c.x}}\"] }\n"),
        &[(11, "no stage writes the output \"c\"")],
    ),
    case(
        "an output that comes too late",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\ndefault_next = \"b\"\n[stage.input]\nfirst = \"{{raw_input}}\"\nsecond = \"{{outputs.b}}\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\n",
        &[(8, "the output \"b\" is never there when \"a\" begins")],
    ),
    case(
        "its own output, before it has one",
        with!("input = \"{{outputs.b}}\"\n"),
        &[(11, "the output \"b\" is never there when \"b\" begins")],
    ),
    case(
        "an input for a built-in agent",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"plan\"\ninput = \"{{raw_input}}\"\n",
        &[(5, "\"plan\" reads the envelope itself")],
    ),
    case(
        "a model for one who needs none",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"perception\"\nmodel = \"acme/large\"\n",
        &[(5, "\"perception\" works without a model")],
    ),
    case(
        "a model for one who passes everything on",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"pass\"\nmodel = \"acme/large\"\n",
        &[(5, "\"pass\" works without a model")],
    ),
    case(
        "a tool that is not there",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"execution\"\ntools = [\"hammer\"]\n",
        &[(5, "there is no tool \"hammer\"")],
    ),
    case(
        "tools for an agent of one's own",
        with!("tools = [\"read_file\", \"hammer\"]\n"),
        &[(11, "tools are for built-in agents")],
    ),
    case(
        "a tool that is nearly there, in its own line",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"execution\"\ntools = [\n  \"read_file\",\n  \"code_serch\",\n]\n",
        &[(7, "there is no tool \"code_serch\"; did you mean \"code_search\"?")],
    ),
    // Routes that are never taken.
    case(
        "two routes for one number",
        with!(
            "[[stage.route]]\nkey = \"x\"\nequals = 1\nto = \"a\"\n[[stage.route]]\nkey = \"y\"\nequals = 1\nto = \"a\"\n[[stage.route]]\nkey = \"x\"\nequals = 1.0\nto = \"end\"\n"
        ),
        &[(21, "this route is never taken: the one in line 13 asks x for the same value")],
    ),
    case(
        "keys that are none",
        with!(
            "[[stage.route]]\nkey = \"a..b\"\nequals = 1\nto = \"a\"\n[[stage.route]]\nkey = \".a\"\nequals = 1\nto = \"a\"\n[[stage.route]]\nkey = \"a. b\"\nequals = 1\nto = \"a\"\n[[stage.route]]\nkey = \"{{outputs.b.x}}\"\nequals = 1\nto = \"a\"\n"
        ),
        &[
            (12, "the key \"a..b\" has a point with nothing beside it"),
            (16, "the key \".a\" has a point with nothing beside it"),
            (20, "the key \"a. b\" has a space at the edge of a name"),
            (24, "has braces"),
        ],
    ),
    case(
        "a route of a group that asks somebody else",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage.route]]\nkey = \"b.x\"\nequals = 1\nto = \"end\"\n[[stage.route]]\nkey = \"d.x\"\nequals = 1\nto = \"end\"\n[[stage.route]]\nkey = \"f\"\nequals = 1\nto = \"end\"\n[[stage.route]]\nkey = \"f.x\"\nequals = 1\nto = \"end\"\n[[stage]]\nname = \"d\"\nagent = \"m\"\noutput_key = \"f\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[
            (16, "no stage that \"c\" has run writes the output \"b\"; they write f, e"),
            (20, "writes the output \"d\"; did you mean \"f\"?"),
            (24, "\"f\" is a whole output. Write f.MEMBER"),
        ],
    ),
    case("no tools at all for an agent of one's own", with!("tools = []\n"), &[]),
    // Those that run at once.
    case(
        "one who runs beside itself",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"c\", \"d\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\n"
        ),
        &[(14, "\"c\" cannot run beside others: it has no agent")],
    ),
    case(
        "groups within groups",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nparallel = [\"f\", \"g\"]\n[[stage]]\nname = \"e\"\nagent = \"m\"\n[[stage]]\nname = \"f\"\nagent = \"m\"\n[[stage]]\nname = \"g\"\nagent = \"m\"\n"
        ),
        &[
            (14, "\"d\" cannot run beside others: it has no agent"),
            (21, "nothing leads to stage \"f\""),
            (24, "nothing leads to stage \"g\""),
        ],
    ),
    case(
        "one who runs beside others and leads elsewhere",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\ndefault_next = \"b\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[(18, "\"d\" runs beside others: where to go next is said by \"c\"")],
    ),
    case(
        "one who runs beside others and leads to the end",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\ndefault_next = \"end\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[(18, "where to go next is said by \"c\", and not by default_next")],
    ),
    case(
        "one who runs beside others and has somebody to go to when it fails",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\nerror_next = \"end\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[(18, "\"d\" runs beside others: where to go next is said by \"c\"")],
    ),
    case(
        "one who runs beside others and is led to",
        with!(
            "default_next = \"c\"\nerror_next = \"d\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[(12, "\"d\" runs beside others, and nothing else can lead to it")],
    ),
    case(
        "the first stage beside another",
        "name = \"n\"\n[[stage]]\nname = \"a\"\nagent = \"m\"\n[[stage]]\nname = \"b\"\nagent = \"m\"\n[[stage]]\nname = \"c\"\nparallel = [\"a\", \"b\"]\n",
        &[
            (2, "\"a\" runs beside others, and nothing else can lead to it"),
            (5, "nothing leads to stage \"b\""),
            (8, "nothing leads to stage \"c\""),
        ],
    ),
    case(
        "one who runs in two groups",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"e\", \"f\"]\ndefault_next = \"d\"\n[[stage]]\nname = \"d\"\nparallel = [\"e\", \"g\"]\n[[stage]]\nname = \"e\"\nagent = \"m\"\n[[stage]]\nname = \"f\"\nagent = \"m\"\n[[stage]]\nname = \"g\"\nagent = \"m\"\n"
        ),
        &[(18, "\"e\" runs beside others in \"c\" already")],
    ),
    case(
        "a group that wants what only agents can use",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\nrequired = [\"x\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[(15, "\"c\" has no agent: required means nothing")],
    ),
    case(
        "a group with a model",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\nmodel = \"acme/large\"\n[[stage]]\nname = \"d\"\nagent = \"m\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\n"
        ),
        &[(15, "\"c\" has no agent: model means nothing")],
    ),
    case(
        "what those beside it write is not there yet",
        with!(
            "default_next = \"c\"\n[[stage]]\nname = \"c\"\nparallel = [\"d\", \"e\"]\n[[stage]]\nname = \"d\"\nagent = \"m\"\n[[stage]]\nname = \"e\"\nagent = \"m\"\ninput = \"{{outputs.d}}\"\n"
        ),
        &[(21, "the output \"d\" is never there when \"e\" begins")],
    ),
];

const JSON: &[Case] = &[
    case("no JSON", "{\n  \"name\": \"n\",\n  \"stages\": [}\n}", &[(3, "not JSON")]),
    case("nothing", "", &[(1, "")]),
    case("a list", "\n[]", &[(2, "")]),
    case("a key that is there twice", "{\"name\": \"n\",\n\"name\": \"m\"}", &[(2, "name")]),
    case(
        "a stage without a name",
        "{\"name\": \"n\", \"stages\": [\n  {\"agent\": \"m\"}\n]}",
        &[(2, "`name` is missing")],
    ),
    case(
        "stages as in TOML",
        "{\"name\": \"n\",\n\"stages\": [{\"name\": \"a\", \"agent\": \"m\"}],\n\"stage\": []}",
        &[(3, "stage")],
    ),
    case(
        "text with a brace in it",
        "{\n\"name\": \"n\", \"description\": \"} \\\" ]\",\n\"stages\": [\n{\"name\": \"a\",\n\"agent\": \"m\",\n\"default_next\": \"zz\"}]}",
        &[(6, "there is no stage \"zz\"")],
    ),
    case(
        "a route to nowhere",
        "{\"name\": \"n\", \"stages\": [{\"name\": \"a\", \"agent\": \"m\", \"routes\": [\n{\"key\": \"k\", \"equals\": null, \"to\": \"end\"},\n{\"key\": \"k\", \"equals\": [{}],\n\"to\": \"b\"}]}]}",
        &[(4, "there is no stage \"b\"")],
    ),
    case(
        "a place of another kind",
        "{\"name\": \"n\", \"stages\": [{\"name\": \"a\", \"agent\": \"m\", \"input\": {\n\"a/b\": 1,\n\"c~d\": [true,\n\"{{nothing}}\"]}}]}",
        &[(4, "{{nothing}} is no place")],
    ),
    case(
        "a circle",
        "{\"name\": \"n\", \"stages\": [\n{\"name\": \"a\", \"agent\": \"m\", \"default_next\": \"b\"},\n{\"name\": \"b\", \"agent\": \"m\", \"default_next\": \"a\"}]}",
        &[(2, "from stage \"a\""), (3, "from stage \"b\"")],
    ),
];

fn check(case: &Case, read: Result<Source, Unusable>) -> Result<(), String> {
    let found = match read.and_then(|source| file::read(&source)) {
        Ok(_) => Vec::new(),
        Err(unusable) => {
            assert_eq!(unusable.lines().len(), unusable.wrong.len());
            unusable.wrong
        }
    };
    let fits = found.len() == case.wrong.len()
        && found.iter().zip(case.wrong).all(|(found, (line, what))| {
            found.line == Some(*line) && !found.what.is_empty() && found.what.contains(what)
        });
    if fits { Ok(()) } else { Err(format!("{}: {found:#?}", case.name)) }
}

fn report(failed: &[String]) {
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_file_in_toml_that_is_no_pipeline_is_refused_in_its_line() {
    let failed = TOML.iter().filter_map(|case| check(case, Source::toml(case.text)).err());
    report(&failed.collect::<Vec<_>>());
}

#[test]
fn a_mistake_in_a_stage_that_asks_a_person_is_told_in_its_line() {
    let failed = PEOPLE.iter().filter_map(|case| check(case, Source::toml(case.text)).err());
    report(&failed.collect::<Vec<_>>());
}

#[test]
fn a_file_in_json_that_is_no_pipeline_is_refused_in_its_line() {
    let failed = JSON.iter().filter_map(|case| check(case, Source::json(case.text)).err());
    report(&failed.collect::<Vec<_>>());
}

#[test]
fn a_line_says_which_file_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weekly.toml");
    std::fs::write(&path, "name = \"n\"\n[[stage]]\nname = \"a\"\n").unwrap();
    let unusable = file::load(&path).unwrap_err();
    assert_eq!(unusable.to_string(), format!("{}:2: stage \"a\" has no agent", path.display()));
    let missing = file::load(&folder.path().join("monthly.toml")).unwrap_err().to_string();
    assert!(missing.contains("monthly.toml: could not read it"), "{missing}");
    std::fs::write(&path, "# \n".repeat(2 << 20)).unwrap();
    assert!(file::load(&path).unwrap_err().to_string().contains("larger than 4194304 bytes"));
}

#[test]
fn toml_and_json_say_the_same() {
    let toml = r#"
        name = "n"
        max_critic_fires = 0x10
        max_agent_hops = 1_000
        [[stage]]
        name = "a"
        agent = { model = { name = "acme/large", prompt = "{{input}}" } }
        route = [{ key = "x.y", equals = 1.50, to = "b" }]
        error_next = "end"
        [[stage]]
        name = "b"
        agent = "folder/mine.toml"
        output_key = "c"
        input = { when = 2025-12-10T10:00:00Z, route = [{ stage = 1 }] }
        [[stage.route]]
        key = "k"
        equals = [true, "z"]
        to = "a"
    "#;
    let json = r#"{"name": "n", "max_critic_fires": 16, "max_agent_hops": 1000, "stages": [
        {"name": "a", "agent": {"model": {"name": "acme/large", "prompt": "{{input}}"}},
         "routes": [{"key": "x.y", "equals": 1.5, "to": "b"}], "error_next": "end"},
        {"name": "b", "agent": "folder/mine.toml", "output_key": "c",
         "input": {"when": "2025-12-10T10:00:00Z", "route": [{"stage": 1}]},
         "routes": [{"key": "k", "equals": [true, "z"], "to": "a"}]}]}"#;
    let one = file::read(&Source::toml(toml).unwrap()).unwrap();
    let other = file::read(&Source::json(json).unwrap()).unwrap();
    assert_eq!(one.written, other.written);
    assert_eq!(one.max_critic_fires, 16);
    assert_eq!(one.bounds, other.bounds);
    assert_eq!((one.bounds.agent_hops, one.bounds.iterations), (1000, 3));
    let [a, b] = one.stages.as_slice() else { panic!("there are two stages") };
    assert!(matches!(&a.does, Does::Agent(Who::Defined(_))));
    assert!(matches!(&b.does, Does::Agent(Who::File(path)) if path.ends_with("folder/mine.toml")));
    assert_eq!(
        (a.default_next, a.error_next, a.retry.tries),
        (Target::Stage(1), Some(Target::End), 3)
    );
    assert_eq!(b.default_next, Target::End);
    assert_eq!((b.routes[0].to, b.output_key.as_str()), (Target::Stage(0), "c"));
    assert_eq!(a.routes[0].key, ["x", "y"]);
    // What was read once is read again from what it was written as.
    let again = file::read(&Source::tree(parsed(
        &consign_contracts::json::Json::Object(one.written.clone()).to_string(),
    )));
    assert_eq!(again.unwrap().written, one.written);
}

#[test]
fn every_pipeline_of_the_tests_can_be_used() {
    let folder = folder().join("pipelines");
    for entry in std::fs::read_dir(folder).unwrap() {
        file::load(&entry.unwrap().path()).unwrap_or_else(|why| panic!("{why}"));
    }
    let default = file::default();
    let names: Vec<_> = default.names().collect();
    assert_eq!(names, ["perception", "intent", "plan", "execution", "critic", "integration"]);
    assert_eq!(default.max_critic_fires, 3);
}
