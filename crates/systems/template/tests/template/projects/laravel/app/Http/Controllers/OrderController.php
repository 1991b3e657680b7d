<?php

namespace App\Http\Controllers;

use App\Models\Order;
use Illuminate\Http\Request;

class OrderController extends Controller
{
    public function index()
    {
        return view('orders.index', ['orders' => Order::latest()->get()]);
    }

    public function store(Request $request)
    {
        $data = $request->validate(['loaves' => 'required|integer|min:1']);
        return redirect()->route('orders.show', Order::create($data));
    }
}
