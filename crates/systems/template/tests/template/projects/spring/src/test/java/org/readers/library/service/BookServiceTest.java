package org.readers.library.service;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.readers.library.model.Book;

class BookServiceTest {
    @Test
    void aBookWithoutTitleIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new BookService(null).add(new Book()));
    }
}
