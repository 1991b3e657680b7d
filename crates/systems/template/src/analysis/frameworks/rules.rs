//! The known frameworks, and how each is recognised.

use consign_code::Language;

use crate::analysis::manifest::Ecosystem;

/// How a framework is known.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) ecosystem: Ecosystem,
    /// Names of its packages, the one whose version counts first. A `*` at the end stands for anything.
    pub(super) packages: &'static [&'static str],
    /// What source that uses it has in it.
    pub(super) imports: &'static [&'static str],
    /// Files that its tools need.
    pub(super) marks: &'static [&'static str],
    /// Of two in one manifest the higher one shapes the project.
    pub(super) rank: u8,
    /// What it is built on.
    pub(super) base: &'static [&'static str],
}

const fn rule(
    name: &'static str,
    ecosystem: Ecosystem,
    packages: &'static [&'static str],
    imports: &'static [&'static str],
    rank: u8,
) -> Rule {
    Rule { name, ecosystem, packages, imports, marks: &[], rank, base: &[] }
}

impl Rule {
    const fn on(self, base: &'static [&'static str]) -> Self {
        Self { base, ..self }
    }

    const fn marked(self, marks: &'static [&'static str]) -> Self {
        Self { marks, ..self }
    }

    pub(super) fn is_package(&self, name: &str) -> Option<usize> {
        self.packages.iter().position(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *known == name,
        })
    }
}

use Ecosystem::{Cargo, Composer, Gem, Go, Maven, Npm, Python};

pub(super) const RULES: &[Rule] = &[
    rule("Next.js", Npm, &["next"], &["from 'next", "from \"next", "next/"], 90)
        .on(&["React"])
        .marked(&["next.config.js", "next.config.mjs", "next.config.ts"]),
    rule("Nuxt", Npm, &["nuxt", "nuxt3"], &["defineNuxtConfig", "#imports", "useFetch("], 90)
        .on(&["Vue"])
        .marked(&["nuxt.config.ts", "nuxt.config.js"]),
    rule("SvelteKit", Npm, &["@sveltejs/kit"], &["@sveltejs/kit", "$app/", "$lib/"], 90)
        .on(&["Svelte"])
        .marked(&["svelte.config.js"]),
    rule("Angular", Npm, &["@angular/core"], &["@angular/"], 85).marked(&["angular.json"]),
    rule("NestJS", Npm, &["@nestjs/core", "@nestjs/common"], &["@nestjs/"], 85)
        .on(&["Express", "Fastify"])
        .marked(&["nest-cli.json"]),
    rule(
        "React Native",
        Npm,
        &["react-native"],
        &["from 'react-native'", "from \"react-native\""],
        80,
    )
    .on(&["React"]),
    rule("React", Npm, &["react"], &["from 'react'", "from \"react\"", "require('react')"], 60),
    rule("Vue", Npm, &["vue"], &["from 'vue'", "from \"vue\"", "<script setup"], 60),
    rule("Svelte", Npm, &["svelte"], &["from 'svelte", "from \"svelte", "$state(", "<script"], 60),
    rule(
        "Fastify",
        Npm,
        &["fastify"],
        &["from 'fastify'", "from \"fastify\"", "require('fastify')", "require(\"fastify\")"],
        70,
    ),
    rule(
        "Express",
        Npm,
        &["express"],
        &["from 'express'", "from \"express\"", "require('express')", "require(\"express\")"],
        65,
    ),
    rule(
        "Koa",
        Npm,
        &["koa"],
        &["from 'koa'", "from \"koa\"", "require('koa')", "require(\"koa\")"],
        65,
    ),
    rule("FastAPI", Python, &["fastapi"], &["from fastapi", "import fastapi"], 80),
    rule("Django", Python, &["django"], &["from django", "import django"], 85)
        .marked(&["manage.py"]),
    rule("Flask", Python, &["flask"], &["from flask", "import flask"], 75),
    rule("Typer", Python, &["typer"], &["import typer", "from typer"], 40),
    rule("Click", Python, &["click"], &["import click", "from click"], 35),
    rule("Gin", Go, &["github.com/gin-gonic/gin"], &["\"github.com/gin-gonic/gin\""], 80),
    rule(
        "Echo",
        Go,
        &["github.com/labstack/echo/v4", "github.com/labstack/echo*"],
        &["\"github.com/labstack/echo"],
        80,
    ),
    rule(
        "Chi",
        Go,
        &["github.com/go-chi/chi/v5", "github.com/go-chi/chi*"],
        &["\"github.com/go-chi/chi"],
        80,
    ),
    rule(
        "Fiber",
        Go,
        &["github.com/gofiber/fiber/v2", "github.com/gofiber/fiber*"],
        &["\"github.com/gofiber/fiber"],
        80,
    ),
    rule("Cobra", Go, &["github.com/spf13/cobra"], &["\"github.com/spf13/cobra\""], 60),
    rule("Axum", Cargo, &["axum"], &["use axum", "axum::"], 80),
    rule("Actix Web", Cargo, &["actix-web"], &["use actix_web", "actix_web::"], 80),
    rule("Rocket", Cargo, &["rocket"], &["use rocket", "rocket::", "#[launch]"], 80),
    rule("clap", Cargo, &["clap"], &["use clap", "clap::"], 50),
    rule(
        "Spring Boot",
        Maven,
        &[
            "org.springframework.boot:spring-boot-starter-parent",
            "org.springframework.boot",
            "org.springframework.boot:spring-boot-dependencies",
            "org.springframework.boot:*",
        ],
        &["org.springframework.boot", "@SpringBootApplication"],
        85,
    )
    .on(&["Spring"]),
    rule("Spring", Maven, &["org.springframework:*"], &["import org.springframework."], 70),
    rule(
        "Ktor",
        Maven,
        &[
            "io.ktor:ktor-server-core",
            "io.ktor:ktor-server-core-jvm",
            "io.ktor.plugin",
            "io.ktor:*",
        ],
        &["import io.ktor."],
        80,
    ),
    rule(
        "Android",
        Maven,
        &["com.android.application", "com.android.library", "com.android.tools.build:gradle"],
        &["import android", "import androidx."],
        90,
    )
    .marked(&["AndroidManifest.xml"]),
    rule(
        "Quarkus",
        Maven,
        &["io.quarkus", "io.quarkus:*"],
        &["import io.quarkus", "import jakarta.ws.rs"],
        80,
    ),
    rule(
        "Ruby on Rails",
        Gem,
        &["rails", "railties"],
        &["Rails.application", "ApplicationRecord", "ApplicationController"],
        90,
    )
    .marked(&["routes.rb"]),
    rule("Sinatra", Gem, &["sinatra"], &["require 'sinatra", "require \"sinatra", "Sinatra::"], 70),
    rule("Laravel", Composer, &["laravel/framework"], &["use Illuminate\\"], 90)
        .marked(&["artisan"]),
    rule(
        "Symfony",
        Composer,
        &["symfony/framework-bundle", "symfony/symfony"],
        &["use Symfony\\"],
        85,
    )
    .marked(&["bundles.php"]),
];

/// Languages in which the packages of an ecosystem are used.
pub(super) fn languages(rule: &Rule) -> &'static [Language] {
    crate::analysis::ownership::languages(rule.ecosystem)
}
