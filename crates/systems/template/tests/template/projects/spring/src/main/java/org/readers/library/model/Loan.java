package org.readers.library.model;

import jakarta.persistence.*;

@Entity
public class Loan {
    @Id
    private Long id;
    @ManyToOne
    private Book book;
}
