package org.readers.library.controller;

import java.util.List;
import org.readers.library.model.Book;
import org.readers.library.service.BookService;
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/books")
public class BookController {
    private final BookService service;

    public BookController(BookService service) {
        this.service = service;
    }

    @GetMapping
    public List<Book> all() {
        return service.all();
    }

    @PostMapping
    public Book add(@RequestBody Book book) {
        return service.add(book);
    }
}
