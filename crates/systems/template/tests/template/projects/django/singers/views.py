from django.shortcuts import get_object_or_404, render

from .models import Singer


def singer_list(request):
    return render(request, "singers/list.html", {"singers": Singer.objects.all()})


def singer_detail(request, pk):
    singer = get_object_or_404(Singer, pk=pk)
    return render(request, "singers/detail.html", {"singer": singer})
