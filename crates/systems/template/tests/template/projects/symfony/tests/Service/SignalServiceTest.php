<?php

namespace App\Tests\Service;

use App\Repository\SignalRepository;
use App\Service\SignalService;
use PHPUnit\Framework\TestCase;

class SignalServiceTest extends TestCase
{
    public function testAnUnknownSignalIsAnError(): void
    {
        $this->expectException(\RuntimeException::class);
        (new SignalService(new SignalRepository()))->state(9);
    }
}
