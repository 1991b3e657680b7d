from django.urls import include, path

urlpatterns = [
    path("singers/", include("singers.urls")),
    path("concerts/", include("concerts.urls")),
]
