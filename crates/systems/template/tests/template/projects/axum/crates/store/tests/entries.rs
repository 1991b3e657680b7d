use ledgerline_store::{Entry, EntryRepository, InMemoryEntryRepository};

#[test]
fn an_entry_is_kept() {
    let entries = InMemoryEntryRepository::default();
    entries.add(Entry { id: 1, cents: 250 }).unwrap();
    assert_eq!(entries.all().unwrap().len(), 1);
}
