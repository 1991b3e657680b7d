//! Each type of personal data, and what only looks like it.

use consign_guard::{Guard, Options, PersonalData};

use super::marks;

fn found(text: &str, entities: bool) -> Vec<(PersonalData, String)> {
    let guard =
        Guard::new(Options { redact_entities: entities, threshold: 1.0, ..Options::default() });
    let verdict = guard.check_input(text, &mut marks());
    let value =
        |it: &consign_guard::Finding| Some((it.data?, text.get(it.span.clone())?.to_owned()));
    verdict.found.iter().filter_map(value).collect()
}

/// In each line the value is between brackets, and nothing else is found.
fn positives(kind: PersonalData, lines: &[&str]) {
    for line in lines {
        let (before, rest) = line.split_once("[[").expect("a value is marked");
        let (value, after) = rest.split_once("]]").expect("a value is marked");
        let text = format!("{before}{value}{after}");
        assert_eq!(found(&text, false), [(kind, value.to_owned())], "{text}");
    }
}

fn negatives(lines: &[&str]) {
    for line in lines {
        assert_eq!(found(line, false), [], "{line}");
    }
}

#[test]
fn e_mail_addresses() {
    positives(
        PersonalData::Email,
        &[
            "write to [[anna.b+x@mail.example.co.uk]].",
            "<[[a@example.com]]>",
            "mailto:[[o'neil@example.ie]]?subject=x",
            "[[j\u{fc}rgen@b\u{fc}cher.example]]",
            "mail [[john (at) example (dot) com]] now",
            "mail [[a@example.com]].1; then",
            "mail [[john [at] example [dot] co [dot] uk]]",
            "it is [[john at example dot com]], ok?",
            "[[\u{ff4a}\u{ff4f}\u{ff45}@example.com]]",
            "[[jo\u{200b}hn@exam\u{200b}ple.com]]",
            "[[john @ example.com]]",
        ],
    );
    negatives(&[
        "meet at noon dot the i",
        "@anna said so",
        "npm i @scope/name@1.2.3",
        "git@github",
        "a@b",
        "look at example.com",
        "5 apples @ 2 euros",
        "@media screen",
    ]);
}

#[test]
fn phone_numbers() {
    positives(
        PersonalData::Phone,
        &[
            "call [[+49 171 1234567]]",
            "[[+1 (212) 555-0187]]",
            "[[+44 (0)20 7946 0958]]",
            "tel. [[0171/1234567]]",
            "[[(212) 555-0187]] is mine",
            "ring [[212-555-0187]]!",
            "appelez [[06 12 34 56 78]]",
            "Telefon: [[030 1234567]]",
            "[[020 7946 0958]]",
            "my number is [[5550187]]",
            "[[(11) 91234-5678]]",
            "[[8 (912) 345-67-89]]",
            "[[03-1234-5678]]",
            "\u{624b}\u{673a}[[13812345678]]",
            "[[\u{ff10}\u{ff11}\u{ff17}\u{ff11} 1234567]]",
        ],
    );
    negatives(&[
        "version 10.15.7 and 1.2.3.4567",
        "on 2024-05-12 and 12.05.2024 and 05/12/2024",
        "from 2019-2023, pages 100-250",
        "ISBN 978-3-16-148410-0",
        "ISBN 0-306-40615-2",
        "order 123-456-7890-11",
        "order no. 2125550187",
        "it costs 1,234,567.89 or 1.234.567,89 euros",
        "1 000 000 people",
        "invoice 0171 1234567",
        "pi is 3.14159265",
        "10:30 to 12:45",
        "timestamp 1700000000",
        "rows 1 2 3 4 5 6 7 8 9",
        "RFC 2119 and ISO 8601",
        "0.123456789",
        "coordinates 52.5200 13.4050",
        "id 550e8400-e29b-41d4-a716-446655440000",
    ]);
}

#[test]
fn payment_cards() {
    positives(
        PersonalData::Card,
        &[
            "[[4111 1111 1111 1111]]",
            "card [[5500-0000-0000-0004]], thanks",
            "[[378282246310005]]",
            "[[3782 822463 10005]]",
            "[[6011111111111117]]",
            "[[3530111333300000]]",
            "card number [[6304000000000000]]",
            "[[\u{ff14}111 1111 1111 1111]]",
        ],
    );
    negatives(&[
        "4111 1111 1111 1112",
        "order 4111111111111111",
        "EAN 4006381333931",
        "0000 0000 0000 0000",
        "6304000000000000 items",
        "a4111111111111111b",
        "1234567812345670",
    ]);
}

#[test]
fn bank_accounts() {
    positives(
        PersonalData::Iban,
        &[
            "[[DE89 3704 0044 0532 0130 00]] please",
            "IBAN [[GB29NWBK60161331926819]].",
            "[[FR14 2004 1010 0505 0001 3M02 606]]",
            "iban:[[nl91abna0417164300]]",
            "[[NO9386011117947]] ok",
        ],
    );
    negatives(&[
        "DE89 3704 0044 0532 0130 01",
        "DE89 3704",
        "XX89 3704 0044 0532 0130 00",
        "AT99 is a code",
    ]);
}

#[test]
fn national_ids() {
    positives(
        PersonalData::NationalId,
        &[
            "[[078-05-1120]]",
            "SSN [[078051120]]",
            "[[AB 12 34 56 C]]",
            "NHS number [[943 476 5919]]",
            "Steuer-ID [[86095742719]]",
            "[[86 095 742 719]]",
            "[[65 170839 J 003]]",
            "DNI [[12345678Z]]",
            "NIE [[X1234567L]]",
            "[[2 55 08 14 168 025 38]]",
            "[[RSSMRA85T10A562S]]",
            "BSN [[111222333]]",
            "[[85.07.30-033.28]]",
            "NIF [[123456789]]",
            "[[529.982.247-25]]",
            "PESEL [[44051401359]]",
            "[[811218-9876]]",
            "[[756.9217.0769.85]]",
            "[[11010519491231002X]]",
            "Aadhaar [[2341 2341 2346]]",
            "[[112-233-445 95]]",
            "SIN [[130 692 544]]",
            "TFN [[123 456 782]]",
            "passport number [[C01X00T47]]",
        ],
    );
    negatives(&[
        "000-12-3456",
        "666-12-3456",
        "078-00-1120",
        "part 12345678A",
        "111222333 units",
        "86095742719 bytes",
        "529.982.247-26",
        "811218-9877",
        "RSSMRA85T10A562T",
        "the number 44051401359",
        "passport photos",
        "QQ 12 34 56 A",
    ]);
}

#[test]
fn addresses_of_machines() {
    positives(
        PersonalData::Ip,
        &[
            "from [[192.0.2.17]]:8080",
            "host [[198.51.100.7]].",
            "http://[[203.0.113.5]]/x",
            "[[192[.]0[.]2[.]1]]",
            "[[2001:db8::8a2e:370:7334]]",
            "[[fe80::1ff:fe23:4567:890a]]",
        ],
    );
    negatives(&[
        "version 1.2.3.4",
        "v10.0.19041.1",
        "section 3.1.4.1",
        "1.2.3.4.5",
        "256.1.1.1",
        "127.0.0.1 and ::1 and 0.0.0.0",
        "255.255.255.0",
        "std::net::IpAddr",
        "at 12:30:45",
        "00:1b:44:11:3a:b7",
        "a::b",
        "chapter 10.2.3.1",
    ]);
}

#[test]
fn keys_and_passwords() {
    let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    positives(
        PersonalData::Key,
        &[
            &format!("use [[{token}]]"),
            "api key: [[9f8e7d6c5b4a39281706f5e4d3c2b1a0]]",
            "password: [[hunter2!]]",
            "my password is [[Tr0ub4dor&3]].",
            "Passwort: [[geheim123]]",
            "client_secret = \"[[x8Fq2LmZ91vKc0Tr5YbN]]\"",
        ],
    );
    negatives(&[
        "the password is required",
        "password: <your-password>",
        "password = os.environ['PASSWORD']",
        "token: string",
        "a secret is a secret",
        "What is the password policy?",
        "the key is under the mat",
        "api_key: YOUR_API_KEY_HERE_12345",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ]);
}

#[test]
fn dates_of_birth() {
    positives(
        PersonalData::BirthDate,
        &[
            "born on [[12 May 1990]]",
            "date of birth: [[1990-05-12]]",
            "DOB [[05/12/1990]]",
            "geboren am [[12.05.1990]]",
            "geb. [[12. Mai 1990]]",
            "n\u{e9}e le [[12 mai 1990]]",
            "fecha de nacimiento: [[12/05/1990]]",
            "nato il [[12 maggio 1990]]",
            "data de nascimento [[12/05/1990]]",
            "geboortedatum: [[12-05-1990]]",
            "\u{434}\u{430}\u{442}\u{430} \u{440}\u{43e}\u{436}\u{434}\u{435}\u{43d}\u{438}\u{44f}: [[12.05.1990]]",
            "\u{51fa}\u{751f}\u{65e5}\u{671f}\u{ff1a}[[1990\u{5e74}5\u{6708}12\u{65e5}]]",
            "[[1990-05-12]] is my birthday",
        ],
    );
    negatives(&[
        "the contract of 12 May 1990",
        "due on 2024-05-12",
        "published 12.05.1990",
        "born in Berlin",
        "the birth of the company",
    ]);
}

#[test]
fn names_and_places_are_found_on_request_only() {
    for (text, kind, value) in [
        ("Ask Dr. Ada Lang about it.", PersonalData::Name, "Ada Lang"),
        ("my name is John Smith", PersonalData::Name, "John Smith"),
        ("Ich hei\u{df}e Petra M\u{fc}ller.", PersonalData::Name, "Petra M\u{fc}ller"),
        ("the letter of Maria van der Berg", PersonalData::Name, "Maria van der Berg"),
        (
            "\u{6211}\u{53eb}\u{738b}\u{5c0f}\u{660e}",
            PersonalData::Name,
            "\u{738b}\u{5c0f}\u{660e}",
        ),
        ("I moved to Lisbon.", PersonalData::Place, "Lisbon"),
        ("12 Baker Street", PersonalData::Place, "12 Baker Street"),
        ("in der Hauptstra\u{df}e 5", PersonalData::Place, "Hauptstra\u{df}e 5"),
    ] {
        assert_eq!(found(text, true), [(kind, value.to_owned())], "{text}");
        assert_eq!(found(text, false), [], "{text}");
    }
    for text in ["The Annual Report", "Dear Sir or Madam", "Python and Rust", "the Nice way"] {
        let names = found(text, true);
        assert!(names.iter().all(|it| it.0 != PersonalData::Name), "{names:?}");
    }
}
