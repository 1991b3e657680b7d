<?php

namespace App\Service;

use App\Repository\SignalRepository;

class SignalService
{
    public function __construct(private SignalRepository $signals)
    {
    }

    public function state(int $id): string
    {
        return $this->signals->find($id) ?? throw new \RuntimeException('no such signal');
    }
}
