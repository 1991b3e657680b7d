from django.test import TestCase

from .models import Singer


class SingerTests(TestCase):
    def test_a_singer_is_called_by_name(self):
        self.assertEqual(str(Singer(name="Ruth", voice="alto")), "Ruth")
