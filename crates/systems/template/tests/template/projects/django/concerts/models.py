from django.db import models


class Concert(models.Model):
    place = models.CharField(max_length=200)
    day = models.DateField()
