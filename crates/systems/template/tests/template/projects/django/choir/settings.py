INSTALLED_APPS = [
    "django.contrib.admin",
    "singers",
    "concerts",
]
ROOT_URLCONF = "choir.urls"
