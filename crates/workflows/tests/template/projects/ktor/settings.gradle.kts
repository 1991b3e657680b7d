rootProject.name = "weatherd"
