<?php
class Foundation {}
