package org.readers.library.service;

import java.util.List;
import org.readers.library.model.Book;
import org.readers.library.repository.BookRepository;
import org.springframework.stereotype.Service;

@Service
public class BookService {
    private final BookRepository books;

    public BookService(BookRepository books) {
        this.books = books;
    }

    public List<Book> all() {
        return books.findAll();
    }

    public Book add(Book book) {
        if (book.getTitle() == null) {
            throw new IllegalArgumentException("a book has a title");
        }
        return books.save(book);
    }
}
