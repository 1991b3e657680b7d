<?php

namespace Tests\Unit;

use App\Models\Order;
use PHPUnit\Framework\TestCase;

class OrderTest extends TestCase
{
    public function test_an_order_has_loaves(): void
    {
        $this->expectException(\DomainException::class);
        (new Order())->price();
    }
}
