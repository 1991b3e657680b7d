use super::*;

#[test]
fn of_two_in_one_place_the_earlier_type_stays() {
    let value = |kind, span| Value { kind, span, canonical: String::new() };
    let kept = without_overlaps(vec![
        value(PersonalData::Phone, 0..12),
        value(PersonalData::Card, 4..10),
        value(PersonalData::Phone, 20..24),
    ]);
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0].kind, PersonalData::Card);
}
