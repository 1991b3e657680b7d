package org.readers.library.model;
public class Book_ { public static String title; }
