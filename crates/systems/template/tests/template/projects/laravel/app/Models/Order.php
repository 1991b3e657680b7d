<?php

namespace App\Models;

use Illuminate\Database\Eloquent\Model;

class Order extends Model
{
    protected $fillable = ['loaves'];

    public function price(): int
    {
        if ($this->loaves < 1) {
            throw new \DomainException('an order has loaves');
        }
        return $this->loaves * 450;
    }
}
