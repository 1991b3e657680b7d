//! Dependencies that deserve an agent of their own.

/// The kind of work that a dependency brings with it.
pub(super) struct Trade {
    pub(super) suffix: &'static str,
    /// What the agent does, after the dependency's name.
    pub(super) does: &'static str,
    pub(super) technology: &'static str,
    pub(super) priority: u8,
}

const DATABASE: Trade = Trade {
    suffix: "data-specialist",
    does: "Writes queries, models and migrations",
    technology: "database",
    priority: 7,
};
const API: Trade = Trade {
    suffix: "api-specialist",
    does: "Designs and changes the service's interface",
    technology: "api",
    priority: 6,
};
const MESSAGES: Trade = Trade {
    suffix: "messaging-specialist",
    does: "Writes what is sent and handled in the background",
    technology: "messaging",
    priority: 6,
};
const INTERFACE: Trade = Trade {
    suffix: "ui-specialist",
    does: "Builds and styles what people see",
    technology: "ui",
    priority: 5,
};
const STATE: Trade = Trade {
    suffix: "state-specialist",
    does: "Changes what the interface remembers, and how",
    technology: "state",
    priority: 5,
};
const VALIDATION: Trade = Trade {
    suffix: "validation-specialist",
    does: "Writes the rules that input is held to",
    technology: "validation",
    priority: 4,
};

/// Names as manifests write them, in lower case, with the name that people use. A name that ends with a
/// dot, a slash or a hyphen stands for all that begin with it.
const KNOWN: &[(&str, &str, &Trade)] = &[
    ("microsoft.entityframeworkcore", "Entity Framework Core", &DATABASE),
    ("microsoft.entityframeworkcore.", "Entity Framework Core", &DATABASE),
    ("dapper", "Dapper", &DATABASE),
    ("sqlalchemy", "SQLAlchemy", &DATABASE),
    ("sqlmodel", "SQLModel", &DATABASE),
    ("psycopg", "Psycopg", &DATABASE),
    ("psycopg2", "Psycopg", &DATABASE),
    ("diesel", "Diesel", &DATABASE),
    ("sqlx", "SQLx", &DATABASE),
    ("sea-orm", "SeaORM", &DATABASE),
    ("rusqlite", "rusqlite", &DATABASE),
    ("prisma", "Prisma", &DATABASE),
    ("@prisma/", "Prisma", &DATABASE),
    ("typeorm", "TypeORM", &DATABASE),
    ("sequelize", "Sequelize", &DATABASE),
    ("mongoose", "Mongoose", &DATABASE),
    ("drizzle-orm", "Drizzle", &DATABASE),
    ("knex", "Knex", &DATABASE),
    ("gorm.io/", "GORM", &DATABASE),
    ("github.com/jackc/pgx/", "pgx", &DATABASE),
    ("github.com/jmoiron/sqlx", "sqlx", &DATABASE),
    ("spring-boot-starter-data-jpa", "Spring Data JPA", &DATABASE),
    ("org.springframework.boot:spring-boot-starter-data-jpa", "Spring Data JPA", &DATABASE),
    ("hibernate-core", "Hibernate", &DATABASE),
    ("org.hibernate.orm:hibernate-core", "Hibernate", &DATABASE),
    ("pg", "PostgreSQL", &DATABASE),
    ("sqlite3", "SQLite", &DATABASE),
    ("doctrine/orm", "Doctrine", &DATABASE),
    ("graphql", "GraphQL", &API),
    ("@apollo/", "Apollo GraphQL", &API),
    ("hotchocolate.", "Hot Chocolate", &API),
    ("async-graphql", "async-graphql", &API),
    ("strawberry-graphql", "Strawberry GraphQL", &API),
    ("tonic", "gRPC", &API),
    ("grpcio", "gRPC", &API),
    ("grpc.", "gRPC", &API),
    ("google.golang.org/grpc", "gRPC", &API),
    ("swashbuckle.aspnetcore", "OpenAPI", &API),
    ("utoipa", "OpenAPI", &API),
    ("@nestjs/swagger", "OpenAPI", &API),
    ("djangorestframework", "Django REST framework", &API),
    ("masstransit", "MassTransit", &MESSAGES),
    ("mediatr", "MediatR", &MESSAGES),
    ("celery", "Celery", &MESSAGES),
    ("kafkajs", "Kafka", &MESSAGES),
    ("rdkafka", "Kafka", &MESSAGES),
    ("spring-kafka", "Kafka", &MESSAGES),
    ("bullmq", "BullMQ", &MESSAGES),
    ("sidekiq", "Sidekiq", &MESSAGES),
    ("lapin", "RabbitMQ", &MESSAGES),
    ("rabbitmq.client", "RabbitMQ", &MESSAGES),
    ("tailwindcss", "Tailwind CSS", &INTERFACE),
    ("@mui/", "MUI", &INTERFACE),
    ("antd", "Ant Design", &INTERFACE),
    ("bootstrap", "Bootstrap", &INTERFACE),
    ("communitytoolkit.maui", ".NET MAUI Community Toolkit", &INTERFACE),
    ("redux", "Redux", &STATE),
    ("@reduxjs/", "Redux", &STATE),
    ("zustand", "Zustand", &STATE),
    ("pinia", "Pinia", &STATE),
    ("vuex", "Vuex", &STATE),
    ("communitytoolkit.mvvm", "MVVM Toolkit", &STATE),
    ("fluentvalidation", "FluentValidation", &VALIDATION),
    ("fluentvalidation.", "FluentValidation", &VALIDATION),
    ("zod", "Zod", &VALIDATION),
    ("pydantic", "Pydantic", &VALIDATION),
    ("class-validator", "class-validator", &VALIDATION),
    ("joi", "Joi", &VALIDATION),
];

/// The name that people use and the work that it brings, of a dependency that is known.
pub(super) fn known(dependency: &str) -> Option<(&'static str, &'static Trade)> {
    let lower = dependency.to_lowercase();
    let fits =
        |name: &str| lower == name || name.ends_with(['.', '/', '-']) && lower.starts_with(name);
    KNOWN.iter().find(|(name, _, _)| fits(name)).map(|(_, usual, trade)| (*usual, *trade))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_known_by_their_whole_name_or_family() {
        let check = |name: &str, usual: Option<&str>| {
            assert_eq!(known(name).map(|(usual, _)| usual), usual, "{name}");
        };
        check("sqlx", Some("SQLx"));
        check("sqlx-core", None);
        check("@prisma/client", Some("Prisma"));
        check("gorm.io/gorm", Some("GORM"));
        check("Microsoft.EntityFrameworkCore.Sqlite", Some("Entity Framework Core"));
        check("pg", Some("PostgreSQL"));
        check("pgvector", None);
        check("", None);
    }
}
