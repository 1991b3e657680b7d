from django.urls import path

from . import views

urlpatterns = [
    path("", views.singer_list, name="singer-list"),
    path("<int:pk>/", views.singer_detail, name="singer-detail"),
]
