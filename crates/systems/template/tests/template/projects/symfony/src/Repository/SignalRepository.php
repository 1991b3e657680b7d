<?php

namespace App\Repository;

class SignalRepository
{
    /** @var array<int, string> */
    private array $known = [1 => 'red'];

    public function find(int $id): ?string
    {
        return $this->known[$id] ?? null;
    }
}
