from django.db import models


class Singer(models.Model):
    name = models.CharField(max_length=200)
    voice = models.CharField(max_length=20)

    def __str__(self):
        return self.name
