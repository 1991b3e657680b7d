@foreach ($orders as $order)
    <p>{{ $order->loaves }}</p>
@endforeach
