//! Recognises a question about where the program starts.
//!
//! "How does it start?" is one; "how does the scheduler start?" is about the scheduler. So all of its
//! words must be small ones, words for the whole program, or words for starting.

const STARTS: &str = " start starts started starting startup entry entrypoint entrypoints point points main run \
    runs running launch launches launched boot boots booted begin begins executed execution invoked ";
const WHOLE: &str = " it this that the a an its my our program programs app application applications project repository repo \
    code codebase binary binaries executable executables tool command commands service software thing everything ";
const SMALL: &str = " how where what which is are does do did can i we you one to at in of for from on there here up first \
    gets get be been actually really all defined located found function functions method file files routine and or ";

/// Whether a question asks for the entry points of the program.
pub(super) fn asks_where_it_starts(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let is = |list: &str, word: &str| list.contains(&format!(" {word} "));
    let asks = ["how", "where", "what", "which"].iter().any(|ask| words.first() == Some(ask));
    // "What does main do?" wants to know what it does, and "where do I start?" where to read.
    let says = words.windows(2).any(|two| two[0] == "what" && is(" does do did ", two[1]));
    let reads = words.first() == Some(&"where") && words.iter().any(|word| is(" i we you ", word));
    // A point is none without an entry.
    let starts = |word: &&str| is(STARTS, word) && !is(" point points ", word);
    asks && !says
        && !reads
        && words.iter().any(starts)
        && words.iter().all(|word| is(STARTS, word) || is(WHOLE, word) || is(SMALL, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_the_start_names_nothing_else() {
        for (question, expected) in [
            ("how does it start?", true),
            ("Where does it start?", true),
            ("what is the entry point?", true),
            ("What are the entry-points of this project?", true),
            ("where is main?", true),
            ("where is `main` defined?", true),
            ("how is it run?", true),
            ("how do I run it?", true),
            ("how is the application launched?", true),
            ("which function runs first?", true),
            ("how does the scheduler start?", false),
            ("how do I run the tests?", false),
            ("where do I start?", false),
            ("what does main do?", false),
            ("who calls main?", false),
            ("what is the point?", false),
            ("how does it work?", false),
            ("main", false),
        ] {
            assert_eq!(asks_where_it_starts(question), expected, "{question}");
        }
    }
}
