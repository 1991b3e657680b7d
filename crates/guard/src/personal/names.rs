//! Names of people and places, by what stands before them and by short lists. Only on request.
//!
//! Found are names after a title (`Dr. Ada Lang`), after words by which people name themselves or others, under a
//! letter, and those that begin with one of the first names listed; addresses of streets, large cities and countries.
//! Missed are names that stand alone and whose first name is not listed, and all in scripts without capitals that
//! nothing announces. No list of words is a model of language; docs/guardrails.md says what that means.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use super::{Hit, PersonalData};
use crate::view::folded;

/// A word with a capital, and those that are parts of names.
const WORD: &str = r"\p{Lu}[\p{L}'\x{2019}-]+";
const LINK: &str =
    r"(?:von|van|de|der|den|da|di|dos|das|del|della|la|le|du|zu|bin|al|el|ter|y|e|O'|Mc)";

static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        "(?:\\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Dame|Lady|Lord|Herrn?|Frau|Monsieur|Madame|Mme|Mlle|Se\u{f1}ora?|Sra?|Signora?|Sig|Dott|Senhora?|Dhr|Mevr|Mevrouw|Meneer)\\.? (?:(?:Dr|Prof|med|jur|h\\.c|Ing|Dipl)\\.? ){{0,3}}\
         |\\b(?i:my (?:full )?name is|my name's|name:|i am called|call me|this is|ich hei\u{df}e|mein name ist|je m'appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome \u{e8}|me chamo|meu nome \u{e9}|ik heet|mijn naam is|\u{43c}\u{435}\u{43d}\u{44f} \u{437}\u{43e}\u{432}\u{443}\u{442}|employee|patient|customer|tenant|signed by|author|dear|regards,|yours,|sincerely,|gr\u{fc}\u{df}en,?|cordialement,?|saluti,?|saludos,?) {{0,2}}\\n?\
         )((?:{WORD}|\\p{{Lu}}\\.)(?: (?:{LINK} ){{0,2}}(?:{WORD}|\\p{{Lu}}\\.)){{0,3}})"
    );
    Regex::new(&pattern).expect("the pattern is right")
});
static CAPITALS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(r"\b({WORD})(?: \p{{Lu}}\.)?(?: (?:{LINK} ){{0,2}}{WORD})+");
    Regex::new(&pattern).expect("the pattern is right")
});
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\x{6211}\x{53eb}|\x{6211}\x{7684}\x{540d}\x{5b57}\x{662f}|\x{6211}\x{540d}\x{53eb})(\p{Han}{2,4})|\x{79c1}\x{306e}\x{540d}\x{524d}\x{306f}([\p{Han}\p{Katakana}\p{Hiragana}]{2,8}?)\x{3067}\x{3059}")
        .expect("the pattern is right")
});
static STREET: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = concat!(
        r"\b\d{1,5}[a-z]? (?:\p{Lu}[\p{L}'-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Square|Place|Way|Terrace|Close)\b\.?",
        "|\\b\\p{Lu}[\\p{L}-]*(?:stra\u{df}e|strasse|str\\.|weg|platz|gasse|allee|straat|laan|plein) \\d{1,4} ?[a-z]?\\b",
        "|\\b\\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|place|chemin|all\u{e9}e|quai) (?:\\p{L}+['\u{2019} ]){0,4}\\p{Lu}[\\p{L}-]+",
        "|\\b(?:Calle|Avenida|Plaza|Via|Viale|Piazza|Corso|Rua|Pra\u{e7}a|Travessa) (?:\\p{L}+ ){0,3}\\p{Lu}[\\p{L}-]+,? (?:n\u{ba} ?)?\\d{1,4}",
    );
    Regex::new(pattern).expect("the pattern is right")
});

const FIRST: &str = "James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Donald Steven Paul Andrew Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Frank Alexander Raymond Patrick Jack Dennis Peter Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Margaret Sandra Ashley Kimberly Emily Donna Michelle Carol Amanda Dorothy Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia Kathleen Amy Angela Shirley Anna Brenda Pamela Emma Nicole Helen Samantha Katherine Christine Alice Julia Grace Sophie Olivia Oliver Harry Simon Martin Hans Peter Klaus Wolfgang J\u{fc}rgen Stefan Andreas Thomas Matthias Christian Markus Sebastian Lukas Felix Jan Ursula Monika Petra Sabine Renate Heike Claudia Katharina Julia Anja Birgit Ingrid Greta Heidi Jean Pierre Michel Philippe Alain Nicolas Fran\u{e7}ois Jacques Luc Louis Marie Nathalie Isabelle Catherine Sylvie Camille Chlo\u{e9} \u{c9}lodie Jos\u{e9} Juan Carlos Luis Javier Miguel \u{c1}ngel Pedro Pablo Diego Alejandro Mar\u{ed}a Carmen Ana Isabel Luc\u{ed}a Elena Marta Giuseppe Giovanni Antonio Mario Luigi Francesco Marco Luca Alessandro Giulia Chiara Francesca Sofia Jo\u{e3}o Paulo Rui Tiago Beatriz Joana Willem Pieter Johannes Maarten Sanne Femke Ivan Dmitri Sergei Vladimir Alexei Olga Natalia Tatiana Svetlana Mohammed Muhammad Ahmed Ali Omar Fatima Aisha Yusuf Wei Ming Li Hiroshi Yuki Kenji Priya Rahul Amit Anita Ravi Ada Alan Erik Lars Nils Ingrid Astrid Bj\u{f6}rn Noah Liam Mia Ben Max Tom Tim Sam Kate Jane Joe Bob";

const PLACES: &str = "London|Paris|Berlin|Madrid|Rome|Roma|Lisbon|Lisboa|Amsterdam|Brussels|Vienna|Wien|Zurich|Z\u{fc}rich|Geneva|Munich|M\u{fc}nchen|Hamburg|Cologne|K\u{f6}ln|Frankfurt|Stuttgart|Leipzig|Dresden|D\u{fc}sseldorf|Barcelona|Valencia|Sevilla|Seville|Milan|Milano|Naples|Napoli|Turin|Torino|Venice|Florence|Firenze|Lyon|Marseille|Toulouse|Bordeaux|Nice|Lille|Manchester|Birmingham|Liverpool|Edinburgh|Glasgow|Dublin|Cardiff|Belfast|Leeds|Bristol|Oxford|Cambridge|Copenhagen|Stockholm|Oslo|Helsinki|Reykjavik|Warsaw|Krakow|Prague|Budapest|Bucharest|Sofia|Athens|Istanbul|Ankara|Moscow|Saint Petersburg|Kyiv|Kiev|Minsk|Riga|Vilnius|Tallinn|Belgrade|Zagreb|Ljubljana|Bratislava|New York|Los Angeles|Chicago|Houston|Philadelphia|Phoenix|San Diego|Dallas|San Francisco|Seattle|Boston|Denver|Washington|Atlanta|Miami|Detroit|Austin|Toronto|Montreal|Vancouver|Ottawa|Mexico City|Bogot\u{e1}|Lima|Santiago|Buenos Aires|S\u{e3}o Paulo|Rio de Janeiro|Caracas|Havana|Cairo|Lagos|Nairobi|Johannesburg|Cape Town|Casablanca|Accra|Dubai|Abu Dhabi|Riyadh|Tehran|Baghdad|Jerusalem|Tel Aviv|Beirut|Delhi|New Delhi|Mumbai|Bangalore|Kolkata|Karachi|Lahore|Dhaka|Bangkok|Hanoi|Jakarta|Manila|Singapore|Kuala Lumpur|Hong Kong|Taipei|Shanghai|Beijing|Shenzhen|Guangzhou|Tokyo|Osaka|Kyoto|Seoul|Sydney|Melbourne|Brisbane|Perth|Auckland|Wellington|Germany|Deutschland|France|Spain|Espa\u{f1}a|Italy|Italia|Portugal|Netherlands|Belgium|Austria|Switzerland|Sweden|Norway|Denmark|Finland|Ireland|Scotland|England|Wales|United Kingdom|Great Britain|Poland|Czechia|Hungary|Romania|Bulgaria|Greece|Russia|Ukraine|Canada|Mexico|Brazil|Argentina|Colombia|Egypt|Nigeria|Kenya|South Africa|India|Pakistan|Thailand|Vietnam|Indonesia|Philippines|Malaysia|China|Japan|South Korea|Taiwan|Australia|New Zealand|United States|\u{5317}\u{4eac}|\u{4e0a}\u{6d77}|\u{6771}\u{4eac}|\u{5927}\u{962a}|\u{41c}\u{43e}\u{441}\u{43a}\u{432}\u{430}|\u{41c}\u{43e}\u{441}\u{43a}\u{432}\u{435}";

static FIRST_NAMES: LazyLock<HashSet<String>> =
    LazyLock::new(|| FIRST.split_whitespace().map(folded).collect());
static PLACE: LazyLock<aho_corasick::AhoCorasick> = LazyLock::new(|| {
    aho_corasick::AhoCorasick::builder()
        .match_kind(aho_corasick::MatchKind::LeftmostLongest)
        .build(PLACES.split('|'))
        .expect("a few names are not too many")
});

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let mut push = |kind, range: std::ops::Range<usize>, written: &str| {
        hits.push(Hit { kind, range, canonical: written.to_lowercase() });
    };
    for found in ANNOUNCED.captures_iter(text).chain(SPOKEN.captures_iter(text)) {
        if let Some(name) = found.get(1).or(found.get(2)).filter(|it| !is_common(it.as_str())) {
            push(PersonalData::Name, name.range(), name.as_str());
        }
    }
    for found in CAPITALS.captures_iter(text) {
        let (Some(whole), Some(first)) = (found.get(0), found.get(1)) else { continue };
        if FIRST_NAMES.contains(&folded(first.as_str())) {
            push(PersonalData::Name, whole.range(), whole.as_str());
        }
    }
    for found in STREET.find_iter(text) {
        push(PersonalData::Place, found.range(), found.as_str());
    }
    for found in PLACE.find_iter(text) {
        if !super::is_in_word(text, &found.range()) {
            push(PersonalData::Place, found.range(), &text[found.range()]);
        }
    }
}

/// Words that begin sentences or address nobody by name.
fn is_common(name: &str) -> bool {
    let words = [
        "The",
        "This",
        "That",
        "It",
        "Sir",
        "Madam",
        "Team",
        "All",
        "Support",
        "Service",
        "Colleagues",
        "A",
        "I",
    ];
    name.split(' ').next().is_some_and(|first| words.contains(&first))
}
