<?php

namespace App\Controller;

use App\Service\SignalService;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\Routing\Attribute\Route;

class SignalController
{
    public function __construct(private SignalService $signals)
    {
    }

    #[Route('/signals/{id}')]
    public function show(int $id): JsonResponse
    {
        return new JsonResponse($this->signals->state($id));
    }
}
