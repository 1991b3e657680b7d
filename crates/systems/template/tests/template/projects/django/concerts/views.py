from django.http import Http404
from django.shortcuts import render

from .models import Concert


def next_concert(request):
    concert = Concert.objects.order_by("day").first()
    if concert is None:
        raise Http404("no concert yet")
    return render(request, "concerts/next.html", {"concert": concert})
